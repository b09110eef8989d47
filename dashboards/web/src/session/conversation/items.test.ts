import { expect, test } from 'vitest'
import { conversationOf, type Item } from './items'
import { message, span } from './messages.fixture'

function summary(items: readonly Item[]): string[] {
  return items.map((item) => {
    switch (item.kind) {
      case 'message':
        return `${item.from} ${item.message.kind} ${item.message.text}`
      case 'tool':
        return `${item.from} tool ${item.call.name} ${item.call.arguments.length}+${item.call.output.length}+${item.call.result.length}`
      case 'run':
      case 'end':
        return `${item.from} ${item.kind} ${item.number}`
    }
  })
}

const at = (seq: number, ms = 0) => `${1_000_000 * ms}.stream.${seq}`

test('a run with a tool call, in order, the call once', () => {
  const tool = span({ id: 't', parent: 'r', start_ms: 30, duration_ms: 20, position: at(3, 20) })
  const run = span({
    id: 'r',
    kind: 'run',
    start_ms: 0,
    duration_ms: 90,
    position: at(0),
    children: [tool],
  })
  const items = conversationOf(
    [
      message({ id: '1', kind: 'user', text: 'do', start_ms: 0, position: at(0), span_id: 'r' }),
      message({ id: '2', kind: 'tool_arguments', start_ms: 20, position: at(3, 20), span_id: 't' }),
      message({ id: '3', kind: 'tool_output', start_ms: 35, position: at(4, 35), span_id: 't' }),
      message({ id: '4', kind: 'assistant', text: 'done ', start_ms: 60, position: at(6, 60), run_id: 'x' }),
      message({ id: '5', kind: 'tool_result', start_ms: 50, position: at(5, 50), span_id: 't' }),
      message({ id: '6', kind: 'reply', text: 'done', start_ms: 90, position: at(7, 90), run_id: 'x' }),
    ],
    [run],
  )
  expect(summary(items)).toEqual([
    '0 run 1',
    '0 user do',
    '20 tool bash 1+1+1',
    '60 assistant done ',
    '90 end 1',
  ])
})

test('what one frame says is in the order of the transcript, with its tool calls', () => {
  const calls = ['a', 'b'].map((id) => span({ id, name: id, start_ms: 5, position: at(1, 5) }))
  const items = conversationOf(
    [
      message({ id: '1', text: 'I look', start_ms: 5, position: at(1, 5) }),
      message({ id: '2', kind: 'tool_arguments', start_ms: 5, position: at(1, 5), span_id: 'b' }),
      message({ id: '3', text: 'and look', start_ms: 5, position: at(1, 5) }),
      message({ id: '4', kind: 'tool_result', start_ms: 9, position: at(2, 9), span_id: 'b' }),
    ],
    calls,
  )
  expect(summary(items)).toEqual([
    '5 assistant I look',
    '5 tool b 1+0+1',
    '5 assistant and look',
    '5 tool a 0+0+0', // nothing was written of it
  ])
})

test('a reply that says something else is there', () => {
  const items = conversationOf(
    [
      message({ id: '1', text: 'thought', run_id: 'a' }),
      message({ id: '2', kind: 'reply', text: 'answer', run_id: 'a', position: at(1) }),
      message({ id: '3', kind: 'reply', text: 'thought', run_id: 'b', position: at(2) }),
    ],
    [],
  )
  expect(summary(items)).toEqual(['0 assistant thought', '0 reply answer', '0 reply thought'])
})

test('runs without any time stand one after the other', () => {
  const run = (id: string, seq: number, children: string) =>
    span({
      id,
      kind: 'run',
      position: at(seq),
      children: [span({ id: children, parent: id, kind: 'llm', position: at(seq + 1) })],
    })
  const items = conversationOf(
    [
      message({ id: '1', text: 'one', span_id: 'l1', position: at(2) }),
      message({ id: '2', text: 'two', span_id: 'l2', position: at(12) }),
    ],
    [run('a', 0, 'l1'), run('b', 10, 'l2')],
  )
  expect(summary(items)).toEqual([
    '0 run 1',
    '0 assistant one',
    '0 end 1',
    '0 run 2',
    '0 assistant two',
    '0 end 2',
  ])
})

test('an open run has no end; one inside a call is not counted', () => {
  const inner = span({ id: 'i', parent: 't', kind: 'run', start_ms: 5, duration_ms: 2, position: at(2, 5) })
  const tool = span({ id: 't', parent: 'r', start_ms: 4, position: at(1, 4), children: [inner] })
  const outer = span({
    id: 'r',
    kind: 'run',
    status: 'open',
    open: true,
    duration_ms: null,
    position: at(0),
    children: [tool],
  })
  expect(summary(conversationOf([], [outer]))).toEqual(['0 run 1', '4 tool bash 0+0+0', '5 run 0', '7 end 0'])
})

test('results said to be of a run stand for themselves', () => {
  const run = span({ id: 'r', kind: 'run', duration_ms: 9 })
  const items = conversationOf(
    [
      message({ id: '1', kind: 'tool_result', name: 'a', span_id: 'r', start_ms: 1, text: 'x' }),
      message({ id: '2', kind: 'tool_result', name: 'b', span_id: '', start_ms: 2 }),
      message({ id: '3', kind: 'tool_result', name: 'c', span_id: 'unseen', start_ms: 3 }),
    ],
    [run],
  )
  expect(summary(items)).toEqual([
    '0 run 1',
    '1 tool_result x',
    '2 tool b 0+0+1',
    '3 tool c 0+0+1',
    '9 end 1',
  ])
})
