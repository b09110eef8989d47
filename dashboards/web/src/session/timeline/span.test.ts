import { expect, test } from 'vitest'
import { span } from '../conversation/messages.fixture'
import { askedAt, endOf, reachOf, stateAt, withDescendants } from './span'

test.each([
  [
    'ended',
    span({ start_ms: 10, duration_ms: 5, status: 'error' }),
    null,
    ['before', 'running', 'running', 'error', 'error'],
  ],
  ['ended at once', span({ start_ms: 10, duration_ms: 0 }), null, ['before', 'ok', 'ok', 'ok', 'ok']],
  [
    'open',
    span({ start_ms: 10, duration_ms: null, open_ms: 5, status: 'open' }),
    null,
    ['before', 'running', 'running', 'running', 'running'],
  ],
  [
    'never closed',
    span({ start_ms: 10, duration_ms: null, open_ms: 5, status: 'unclosed' }),
    null,
    ['before', 'running', 'running', 'unclosed', 'unclosed'],
  ],
  [
    'waiting',
    span({ start_ms: 10, duration_ms: null, open_ms: 5, status: 'waiting' }),
    null,
    ['before', 'waiting', 'waiting', 'waiting', 'waiting'],
  ],
  ['approved', span({ start_ms: 12, duration_ms: 3 }), 10, ['before', 'waiting', 'running', 'ok', 'ok']],
  [
    'not approved',
    span({ start_ms: 10, duration_ms: 5, status: 'rejected' }),
    12,
    ['before', 'running', 'waiting', 'rejected', 'rejected'],
  ],
])('%s', (_, given, asked, want) => {
  expect([9.9, 10, 12, 15, 99].map((moment) => stateAt(given, moment, asked))).toEqual(want)
})

test('where spans end and how far they reach', () => {
  const open = span({ start_ms: 3, duration_ms: null, open_ms: 4, status: 'open' })
  expect([endOf(open), reachOf(open, null)]).toEqual([null, 7])
  expect([endOf({ ...open, status: 'unclosed' }), reachOf({ ...open, open_ms: null }, null)]).toEqual([7, 3])
  // While it is followed, what is open has lasted for as long as the data says, whatever the server's clock is.
  expect([reachOf(open, 5), reachOf(open, 2), reachOf({ ...open, status: 'unclosed' }, 5)]).toEqual([5, 3, 7])
})

test('when an approval was asked for', () => {
  const asked = (approval_at: unknown) =>
    askedAt(span({ attributes: { approval_at } as never }), '2026-03-02T10:00:00.5Z')
  expect(asked('2026-03-02T10:00:02.250123456Z')).toBe(1750)
  expect([asked('soon'), asked(7), askedAt(span(), '2026-03-02T10:00:00Z')]).toEqual([null, null, null])
})

test('parents come before their children', () => {
  const tree = [
    span({ id: 'a', children: [span({ id: 'b', children: [span({ id: 'c' })] }), span({ id: 'd' })] }),
    span({ id: 'e' }),
  ]
  expect([...withDescendants(tree)].map(({ id }) => id).join('')).toBe('abcde')
})
