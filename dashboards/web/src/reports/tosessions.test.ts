import { expect, test } from 'vitest'
import { parseReport } from './params'
import { type Counted, sessionsAddress } from './tosessions'

const address = (search: string, row: Record<string, string | null> | null, of: Counted = 'usage') =>
  sessionsAddress(parseReport(search, ['model']), row && { period: null, period_start: null, ...row }, of)

test.each([
  ['?from=now-24h', { model: 'deck-1' }, '/?from=now-24h&model=deck-1&sort=-cost'],
  ['?from=now-24h', null, '/?from=now-24h&sort=-cost'],
  [
    '?from=now-24h&status=error&model=deck-2',
    { model: 'deck-1' },
    '/?from=now-24h&model=deck-1&status=error&sort=-cost',
  ],
  [
    '?from=now-24h&tag=env:prod&group_by=tag:team,agent',
    { 'tag:team': 'blue', agent: 'coder' },
    '/?from=now-24h&agent=coder&tag=env%3Aprod&tag=team%3Ablue&sort=-cost',
  ],
  ['?group_by=session', { session: 'a b' }, '/sessions/a%20b'],
  [
    '?from=&group_by=provider,node',
    { provider: 'deck', node: 'plan' },
    '/?provider=deck&node=plan&sort=-cost',
  ],
  [
    '?from=&group_by=run,service_tier',
    { run: 'r-1', service_tier: 'flex' },
    '/?run=r-1&service_tier=flex&sort=-cost',
  ],
  // A status of the report is that of calls; the list is of one tenant.
  ['?from=&group_by=status,tenant', { status: 'error', tenant: 'default' }, '/?call_status=error&sort=-cost'],
  [
    '?from=now-24h&group_by=tag:team,model',
    { 'tag:team': null, model: 'm' },
    '/?from=now-24h&model=m&tag=team%3A&sort=-cost',
  ],
  [
    '?timezone=Europe/Berlin&granularity=month&rows=periods',
    { model: 'm', period_start: '2026-02-28T23:00:00Z' },
    // March, in which the clocks of Berlin are changed.
    '/?from=2026-02-28T23%3A00%3A00Z&to=2026-03-31T22%3A00%3A00.000Z&model=m&sort=-cost',
  ],
])('a row of %s leads to its sessions', (search, row, want) => expect(address(search, row)).toBe(want))

test.each([
  [
    '?from=now-24h&group_by=model,agent',
    { model: null, agent: 'coder' },
    '/?from=now-24h&agent=coder&model=&sort=-cost',
  ],
  [
    '?from=&group_by=provider,tag:team',
    { provider: null, 'tag:team': null },
    '/?tag=team%3A&provider=&sort=-cost',
  ],
  ['?from=&group_by=run,service_tier', { run: null, service_tier: null }, '/?run=&service_tier=&sort=-cost'],
  // Sessions have no filter of calls without a status.
  ['?from=&group_by=status', { status: null }, '/?sort=-cost'],
])('a row of unknown usage of %s leads to its sessions', (search, row, want) =>
  expect(address(search, row)).toBe(want),
)

test.each<[Counted, string, Record<string, string | null>, string]>([
  ['tools', '?from=&group_by=tool', { tool: null }, '/?tool='],
  ['tools', '?from=&group_by=tool,agent', { tool: 'bash', agent: null }, '/?tool=bash&unknown=tool_agent'],
  ['calls', '?from=&group_by=model', { model: null }, '/?unknown=call_model'],
  [
    'calls',
    '?from=&group_by=model,provider,agent',
    { model: null, provider: null, agent: null },
    '/?unknown=call_model&unknown=call_provider&unknown=call_agent',
  ],
  // The report is of such sessions already.
  ['calls', '?from=&group_by=model&unknown=call_model', { model: null }, '/?unknown=call_model'],
  [
    'calls',
    '?from=&group_by=agent&unknown=tool_agent',
    { agent: null },
    '/?unknown=tool_agent&unknown=call_agent',
  ],
])('a row of unknown %s of %s leads to its sessions', (of, search, row, want) =>
  expect(address(search, row, of)).toBe(want),
)
