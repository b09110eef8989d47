import { expect, test } from 'vitest'
import type { Schemas } from '../../api/client'
import { changePath } from './diff'
import { holdsState, snapshotsOf } from './snapshots'

let at = 0
const frame = (dialect: string, type: string, json: unknown) =>
  ({ dialect, type, frame: json, position: `p${++at}`, offset_ms: at }) as Schemas['Frame']

/** What is found: the series and the paths of what changed. */
const found = (frames: Schemas['Frame'][]) =>
  snapshotsOf(frames).map(({ series, changes }) => [series, changes && changes.map(changePath).join(' ')])

test('AG-UI: patches change the state that was sent before', () => {
  const delta = (...delta: unknown[]) => frame('ag-ui', 'STATE_DELTA', { type: 'STATE_DELTA', delta })
  expect(
    found([
      delta({ op: 'add', path: '/a', value: 0 }), // of no state
      frame('ag-ui', 'STATE_SNAPSHOT', { type: 'STATE_SNAPSHOT', snapshot: { a: 1, list: [1] } }),
      delta({ op: 'replace', path: '/a', value: 2 }, { op: 'add', path: '/list/-', value: 2 }),
      frame('ag-ui', 'STATE_SNAPSHOT', { type: 'STATE_SNAPSHOT', snapshot: { a: 2, list: [1, 2] } }), // the same
    ]),
  ).toEqual([
    ['state', null],
    ['state', '$.a $.list[1]'],
  ])
})

test('Loom: values, updates of each node, and checkpoints, in all three forms', () => {
  expect(
    found([
      frame('loom', 'values', { type: 'values', state: { n: 1 } }),
      frame('loom', 'updates', { type: 'updates', id: 'think', state: { think_count: 1 } }),
      frame('loom', 'values', { type: 'run_stream_event', event: { type: 'values', state: { n: 2 } } }),
      frame('loom', 'Updates', { Updates: { node_id: 'think', state: { think_count: 2 }, namespace: null } }),
      frame('loom', 'Values', { Values: { n: 3 } }),
      frame('loom', 'Checkpoint', { Checkpoint: { step: 1, state: { n: 3 } } }),
      frame('loom', 'checkpoint', { type: 'checkpoint', step: 2, state: { n: 4 } }),
    ]),
  ).toEqual([
    ['values', null],
    ['updates of think', null],
    ['values', '$.n'],
    ['updates of think', '$.think_count'],
    ['values', '$.n'],
    ['checkpoint', null],
    ['checkpoint', '$.n'],
  ])
})

test('LangGraph: values, by namespace, also in the newer envelope', () => {
  expect(
    found([
      frame('langgraph', 'values', { messages: [] }),
      frame('langgraph', 'values|sub:1', { notes: [] }),
      frame('langgraph', 'values', {
        type: 'event',
        method: 'values',
        params: { data: { messages: ['a'] } },
      }),
      frame('langgraph', 'updates', { agent: { messages: [] } }), // what one node returned, and no state
    ]),
  ).toEqual([
    ['values', null],
    ['values of sub:1', null],
    ['values', '$.messages[0]'],
  ])
})

test('what is no state is left out', () => {
  expect(found([frame('loom', 'values', 'text'), frame('loom', 'checkpoint', { step: 1 })])).toEqual([])
  expect([
    holdsState('values|a'),
    holdsState('STATE_DELTA'),
    holdsState('tool_call'),
    holdsState(''),
  ]).toEqual([true, true, false, false])
})
