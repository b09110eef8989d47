import { expect, test } from 'vitest'
import { span } from './conversation/messages.fixture'
import { currentOf, sharesOf, verdictOf } from './verdict'

// A run from 0 to 10 s: a model call to 3 s, silence to 4 s, a tool to 9 s, in it a model call from 5 s to 6 s, silence
// to 10 s; then nothing until 12 s.
const run = span({
  id: 'r',
  kind: 'run',
  duration_ms: 10_000,
  children: [
    span({ id: 'm', kind: 'llm', duration_ms: 3000 }),
    span({
      id: 't',
      start_ms: 4000,
      duration_ms: 5000,
      children: [span({ id: 'n', kind: 'llm', start_ms: 5000, duration_ms: 1000 })],
    }),
  ],
})

test('each moment counts once, and each share leads to its longest stretch', () => {
  expect(sharesOf([run], 12_000)).toEqual([
    { use: 'model', ms: 4000, longest: { span: 'm', from: 0, ms: 3000 } },
    { use: 'tools', ms: 4000, longest: { span: 't', from: 4000, ms: 5000 } },
    { use: 'waiting', ms: 2000, longest: { span: null, from: 10_000, ms: 2000 } },
    { use: 'silence', ms: 2000, longest: { span: null, from: 3000, ms: 1000 } },
  ])
})

test('a call that never ended lasts to the end', () => {
  const hung = span({ id: 'h', start_ms: 1000, duration_ms: null, status: 'open', open: true })
  expect(sharesOf([hung], 5000)).toEqual([
    { use: 'tools', ms: 4000, longest: { span: 'h', from: 1000, ms: 4000 } },
    { use: 'waiting', ms: 1000, longest: { span: null, from: 0, ms: 1000 } },
  ])
  expect(sharesOf([], 0)).toEqual([])
})

test('what runs now is the call that is open and began last', () => {
  const open = { duration_ms: null, status: 'open', open: true } as const
  const spans = [
    span({
      id: 'r',
      kind: 'run',
      ...open,
      children: [span({ id: 'm', kind: 'llm', ...open, start_ms: 10 })],
    }),
    span({ id: 't', ...open, start_ms: 20 }),
    span({ id: 'done', start_ms: 30, duration_ms: 5 }),
  ]
  expect(currentOf(spans)?.id).toBe('t')
  expect(currentOf([run])).toBeNull()
})

test.each([
  ['ok', 14, 2, 'Finished in 4 m 12 s, 14 tool calls, 2 failed'],
  ['ok', 1, 0, 'Finished in 4 m 12 s, 1 tool call'],
  ['error', 0, 0, 'Failed after 4 m 12 s'],
  ['running', 3, 0, null],
] as const)('%s with %d calls: %s', (status, calls, errors, want) => {
  const totals = { runs: 1, tools: { calls, errors } }
  expect(verdictOf({ status, duration_ms: 252_000, totals } as never)).toBe(want)
})
