import { expect, test } from 'vitest'
import type { Schemas } from '../../api/client'
import { message, span } from '../conversation/messages.fixture'
import { madeIn, pathOf, splitOf } from './path'

const call = (
  id: string,
  from: number,
  to: number,
  kind: 'tool' | 'llm' = 'tool',
  children: Schemas['Span'][] = [],
) => span({ id, kind, start_ms: from, duration_ms: to - from, children })
const run = (to: number, ...children: Schemas['Span'][]) =>
  span({ id: 'run', kind: 'run', duration_ms: to, children })
const never = () => null

/** The path as texts: what, its span, from when to when. */
const path = (root: Schemas['Span'], made: (span: Schemas['Span']) => number | null = never) =>
  pathOf(root, root.duration_ms ?? 0, made).map(
    ({ use, span: { id }, from, to }) => `${use} ${id} ${from}-${to}`,
  )

test('of calls side by side the one that ended last counts, and what is left belongs to none', () => {
  // A model until 10, then three tools at once, the slowest until 40; then a model from 45 to 60.
  const root = run(
    62,
    call('m', 0, 10, 'llm'),
    call('a', 10, 20),
    call('slow', 11, 40),
    call('c', 12, 30),
    call('n', 45, 60, 'llm'),
  )
  expect(path(root)).toEqual([
    'model m 0-10',
    'tool a 10-11', // before the slowest had begun
    'tool slow 11-40',
    'unattributed run 40-45',
    'model n 45-60',
    'unattributed run 60-62',
  ])
  expect(splitOf(pathOf(root, 62, never))).toEqual({ model: 25, tool: 30, queue: 0, unattributed: 7 })
})

test('the calls inside of a call are on its path', () => {
  const agent = call('agent', 10, 50, 'tool', [call('inner', 15, 40, 'llm')])
  expect(path(run(50, call('m', 0, 10, 'llm'), agent))).toEqual([
    'model m 0-10',
    'tool agent 10-15',
    'model inner 15-40',
    'tool agent 40-50',
  ])
})

test('a call that was made and had not begun waited in a queue, until what ran before it had ended', () => {
  const root = run(40, call('m', 0, 10, 'llm'), call('first', 12, 20), call('second', 25, 40))
  const messages = ['first', 'second'].map((id) =>
    message({ id, kind: 'tool_arguments', span_id: id, ended: '2026-03-02T10:00:00.010Z' }),
  )
  expect(path(root, madeIn(messages, '2026-03-02T10:00:00Z'))).toEqual([
    'model m 0-10',
    'queue first 10-12',
    'tool first 12-20',
    'queue second 20-25',
    'tool second 25-40',
  ])
})

test('what never ended lasts to the end, and a run of nothing is its own', () => {
  const hung = span({ id: 'hung', start_ms: 5, duration_ms: null, status: 'open', open: true })
  expect(path(run(30, hung))).toEqual(['unattributed run 0-5', 'tool hung 5-30'])
  expect(path(run(30))).toEqual(['unattributed run 0-30'])
  expect(path(run(0))).toEqual([])
})
