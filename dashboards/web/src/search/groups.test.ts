import { expect, test } from 'vitest'
import { groupsOf, momentOf, speakerOf } from './groups'
import type { Hit } from './queries'

const hit = (session: string, id: string, more: Partial<Hit> = {}): Hit => ({
  session_id: session,
  session_title: '',
  session_started: '2026-03-02T10:00:00Z',
  id,
  kind: 'assistant',
  role: 'assistant',
  name: '',
  agent: '',
  span_id: '',
  run_id: '',
  complete: true,
  position: '1.a.2',
  stream_id: 'a',
  seq: 2,
  at: '2026-03-02T10:00:01Z',
  offset_ms: 1000,
  snippet: [{ text: 'found', match: true }],
  matches: 1,
  score: null,
  ...more,
})

test('hits stand with their session, in the order of its first', () => {
  const groups = groupsOf([hit('b', '1'), hit('a', '2'), hit('b', '3')])
  expect(groups.map(({ session, hits }) => [session, hits.map(({ id }) => id)])).toEqual([
    ['b', ['1', '3']],
    ['a', ['2']],
  ])
})

test('a hit leads to the moment of its place, an error to its span as well', () => {
  expect(momentOf(hit('a/b', '1', { offset_ms: 1500.25 }))).toBe('/sessions/a%2Fb?t=1.50025')
  expect(momentOf(hit('s', '1', { kind: 'error', span_id: 'tool:1' }))).toBe(
    '/sessions/s?t=1&tab=timeline&span=tool%3A1',
  )
})

test.each([
  [{ kind: 'tool_arguments', name: 'bash' }, 'Asked bash'],
  [{ kind: 'tool_result', name: '' }, 'Answered by a tool'],
  [{ kind: 'error', name: 'bash' }, 'Error of bash'],
  [{ kind: 'user', name: '' }, 'User'],
] as const)('who said %j is called %s', (said, name) => {
  expect(speakerOf(said)).toBe(name)
})
