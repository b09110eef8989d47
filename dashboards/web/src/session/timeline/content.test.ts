import { expect, test } from 'vitest'
import { message, span } from '../conversation/messages.fixture'
import { contentOf } from './content'
import { withDescendants } from './span'

const tree = [
  span({
    id: 'run',
    kind: 'run',
    run_id: 'r',
    start_ms: 0,
    duration_ms: 100,
    children: [
      span({ id: 'ask', kind: 'llm', run_id: 'r', start_ms: 5, duration_ms: 15 }),
      span({ id: 'bash', kind: 'tool', run_id: 'r', start_ms: 22, duration_ms: 18, status: 'error' }),
      span({ id: 'answer', kind: 'llm', run_id: 'r', start_ms: 50, duration_ms: 40 }),
    ],
  }),
]
const said = [
  message({ id: 'question', kind: 'user', span_id: 'run', run_id: 'r', start_ms: 0 }),
  message({ id: 'thought', kind: 'thinking', span_id: 'ask', run_id: 'r', start_ms: 6 }),
  message({ id: 'arguments', kind: 'tool_arguments', span_id: 'bash', run_id: 'r', start_ms: 12 }),
  message({ id: 'printed', kind: 'tool_output', span_id: 'bash', run_id: 'r', start_ms: 30 }),
  message({ id: 'result', kind: 'tool_result', span_id: 'bash', run_id: 'r', start_ms: 40 }),
  message({ id: 'elsewhere', kind: 'user', span_id: '', run_id: 'other', start_ms: 41 }),
  message({ id: 'text', kind: 'assistant', span_id: 'answer', run_id: 'r', start_ms: 60 }),
  message({ id: 'reply', kind: 'reply', span_id: 'run', run_id: 'r', start_ms: 100 }),
]

test.each([
  ['run', ['question'], ['reply']],
  ['ask', ['question'], ['thought', 'arguments']],
  ['bash', ['arguments'], ['printed', 'result']],
  ['answer', ['printed', 'result'], ['text']],
])('what went into %s and came out of it', (id, input, output) => {
  const all = [...withDescendants(tree)]
  const content = contentOf(all.find((one) => one.id === id) ?? span({}), all, said)
  expect(content.input.map((m) => m.id)).toEqual(input)
  expect(content.output.map((m) => m.id)).toEqual(output)
})
