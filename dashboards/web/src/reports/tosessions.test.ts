import { expect, test } from 'vitest'
import { parseReport } from './params'
import { sessionsAddress } from './tosessions'

const address = (search: string, row: Record<string, string | null> | null) =>
  sessionsAddress(parseReport(search, ['model']), row && { period: null, period_start: null, ...row })

test.each([
  ['?from=now-24h', { model: 'deck-1' }, '/?from=now-24h&model=deck-1'],
  ['?from=now-24h', null, '/?from=now-24h'],
  [
    '?from=now-24h&status=error&model=deck-2',
    { model: 'deck-1' },
    '/?from=now-24h&model=deck-1&status=error',
  ],
  [
    '?from=now-24h&tag=env:prod&group_by=tag:team,agent',
    { 'tag:team': 'blue', agent: 'coder' },
    '/?from=now-24h&agent=coder&tag=env%3Aprod&tag=team%3Ablue',
  ],
  ['?group_by=session', { session: 'a b' }, '/sessions/a%20b'],
  ['?from=&group_by=provider,node', { provider: 'deck', node: 'plan' }, '/?provider=deck&node=plan'],
  ['?from=&group_by=run,service_tier', { run: 'r-1', service_tier: 'flex' }, '/?run=r-1&service_tier=flex'],
  // A status of the report is that of calls; the list is of one tenant.
  ['?from=&group_by=status,tenant', { status: 'error', tenant: 'default' }, '/?call_status=error'],
  // No filter selects sessions without a model.
  [
    '?from=now-24h&group_by=tag:team,model',
    { 'tag:team': null, model: 'm' },
    '/?from=now-24h&model=m&tag=team%3A',
  ],
  ['?from=now-24h&group_by=model,agent', { model: null, agent: 'coder' }, '/?from=now-24h&agent=coder'],
  [
    '?timezone=Europe/Berlin&granularity=month&rows=periods',
    { model: 'm', period_start: '2026-02-28T23:00:00Z' },
    // March, in which the clocks of Berlin are changed.
    '/?from=2026-02-28T23%3A00%3A00Z&to=2026-03-31T22%3A00%3A00.000Z&model=m',
  ],
])('a row of %s leads to its sessions', (search, row, want) => expect(address(search, row)).toBe(want))
