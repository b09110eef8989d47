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
  // The list has no such filter.
  ['?group_by=provider', { provider: 'deck' }, null],
  ['?from=now-24h', { model: null }, null],
  [
    '?timezone=Europe/Berlin&granularity=month&rows=periods',
    { model: 'm', period_start: '2026-02-28T23:00:00Z' },
    // March, in which the clocks of Berlin are changed.
    '/?from=2026-02-28T23%3A00%3A00Z&to=2026-03-31T22%3A00%3A00.000Z&model=m',
  ],
])('a row of %s leads to its sessions', (search, row, want) => expect(address(search, row)).toBe(want))
