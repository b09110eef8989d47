import { expect, test } from 'vitest'
import type { Schemas } from '../../api/client'
import { mostThoughts } from './drawing'
import { drawingsOf, holdsThoughts, ofGraph } from './events'
import { words } from './words'

let seq = 0
const frame = (type: string, json: unknown, more: Partial<Schemas['Frame']> = {}) =>
  ({
    dialect: 'loom',
    type,
    frame: json,
    offset_ms: ++seq,
    seq,
    stream_id: 's',
    run_id: 'r',
    ...more,
  }) as Schemas['Frame']
const event = (type: string, fields: object) => frame(type, { type, ...fields })

/** What is drawn: "title: text [mark, score]", and lines as "from>to" or, not stated, "from-to". */
const drawn = (frames: Schemas['Frame'][]) =>
  drawingsOf(frames).map(({ kind, thoughts, edges, notes }) => {
    const titles = new Map(thoughts.map(({ id, title }) => [id, title]))
    return {
      kind,
      thoughts: thoughts.map((one) => `${one.title}: ${one.text} [${words(one)}]`),
      edges: edges.map(({ from, to, stated }) => `${titles.get(from)}${stated ? '>' : '-'}${titles.get(to)}`),
      notes,
    }
  })

test('a tree: candidates of each expansion, scores, the chosen one, steps in the order of time', () => {
  const [tree, ...others] = drawn([
    event('tot_expand', { candidates: ['x', 'y'] }),
    event('tot_evaluate', { chosen: 1, scores: [0.5, 0.8999999761581421] }),
    event('tot_backtrack', { reason: 'dead end', to_depth: 0 }),
    event('tot_expand', { candidates: ['z'] }),
  ])
  expect(others).toEqual([])
  expect(tree?.thoughts).toEqual([
    'Expansion 1:  []',
    'Candidate 1: x [not chosen, 0.5]',
    'Candidate 2: y [chosen, 0.9]',
    'Back to depth 0: dead end []',
    'Expansion 2:  []',
    'Candidate 1: z []',
  ])
  expect(tree?.edges).toEqual([
    'Expansion 1>Candidate 1',
    'Expansion 1>Candidate 2',
    'Expansion 2>Candidate 1',
    'Expansion 1-Back to depth 0',
    'Back to depth 0-Expansion 2',
  ])
  expect(tree?.notes[0]).toMatch('does not state which thought an expansion goes on from')
})

test('scores and choices that fit no candidates are left out and counted', () => {
  const [tree] = drawn([
    event('tot_evaluate', { chosen: 0, scores: [1] }), // of no expansion
    event('tot_expand', { candidates: ['x', 7] }),
    event('tot_evaluate', { chosen: 2, scores: [1, 2, 3] }),
    event('tot_evaluate', { chosen: 0, scores: [] }), // as a server without scores sends it
  ])
  expect(tree?.thoughts).toEqual([
    'Expansion 1:  []',
    'Candidate 1: x [chosen]',
    'Candidate 2:  [not chosen]',
  ])
  expect(tree?.notes.at(-1)).toMatch(/^Scores or choices of 2 of 3 evaluations/)
})

test('a graph without a state has its nodes, and says that it has no edges', () => {
  const [graph] = drawn([
    event('got_plan', { node_count: 2, edge_count: 1, node_ids: ['a', 'b', '__proto__'] }),
    event('got_node_start', { id: 'a' }),
    event('got_node_complete', { id: 'a', result_summary: 'A' }),
    event('got_expand', { node_id: 'a', nodes_added: 1, edges_added: 1 }),
    event('got_node_failed', { id: 'b', error: 'no luck' }),
    event('got_node_start', { id: 'c' }),
  ])
  expect(graph?.thoughts).toEqual([
    'a: A [complete]',
    'b: no luck [failed]',
    '__proto__:  [planned]',
    'c:  [started]',
  ])
  expect(graph?.edges).toEqual([])
  expect(graph?.notes.join(' ')).toMatch(
    /how many edges there are \(1\), not which.*no edges are drawn.*add, not which/,
  )
})

test('a graph has the edges of its latest state, in both forms and in what a server wraps', () => {
  const state = (edges: unknown[]) => ({
    task_graph: { nodes: [{ id: 'a', description: 'first' }, { id: 'b' }, { id: 'c' }], edges },
  })
  const edges = [['a', 'b'], ['a', 'b'], ['a', 'a'], ['a', 'x'], 'ab', ['b', 'c']]
  for (const frames of [
    [event('got_plan', { node_ids: ['a', 'b'] }), event('values', { state: state(edges) })],
    [
      frame('GotPlan', { GotPlan: { node_ids: ['a', 'b'] } }),
      frame('GotNodeStart', { GotNodeStart: { node_id: 'c' } }),
      frame('Updates', { Updates: { node_id: 'plan', state: state([]) } }),
      frame('Values', { Values: state(edges) }),
    ],
    [
      frame('got_plan', { type: 'run_stream_event', event: { type: 'got_plan', node_ids: ['a', 'b'] } }),
      event('checkpoint', { step: 1, state: state(edges) }),
    ],
  ]) {
    const [graph] = drawn(frames)
    const c = frames.length === 4 ? 'started' : 'planned'
    expect(graph?.thoughts).toEqual(['a: first [planned]', 'b:  [planned]', `c:  [${c}]`])
    expect(graph?.edges).toEqual(['a>b', 'b>c'])
    expect(graph?.notes).toEqual([
      'The edges are those of the latest state that holds the graph.',
      '3 edges are left out: they lead to the same node or to none that is known.',
    ])
  }
})

test('a node leads to its start; runs and plans have drawings of their own', () => {
  seq = 100
  const drawings = drawingsOf([
    event('got_plan', { node_ids: ['a'] }), // 101
    event('got_node_start', { id: 'a' }), // 102
    event('got_node_complete', { id: 'a' }),
    event('got_plan', { node_ids: ['a'] }), // 104
    frame('tot_expand', { type: 'tot_expand', candidates: ['x'] }, { run_id: 'other' }), // 105
  ])
  expect(drawings.map(({ kind, thoughts }) => [kind, thoughts.map(({ at }) => at)])).toEqual([
    ['graph', [102]],
    ['graph', [104]],
    ['tree', [105, 105]],
  ])
})

test('what is no thought, or not well formed, draws nothing', () => {
  expect(
    drawn([
      event('got_plan', { node_ids: 'ab' }),
      event('got_node_start', { id: 7 }),
      event('got_node_start', { node_id: 'of the envelope' }),
      event('tot_evaluate', {}),
      frame('tot_expand', 'text'),
      frame('GotPlan', { GotPlan: 7 }),
      frame('tot_expand', { candidates: ['x'] }, { dialect: 'langgraph' }),
    ]),
  ).toEqual([])
  expect([holdsThoughts('tot_expand'), holdsThoughts('GotNodeFailed'), holdsThoughts('values')]).toEqual([
    true,
    true,
    false,
  ])
  expect([ofGraph('GotPlan'), ofGraph('TotExpand')]).toEqual([true, false])
})

test('the first thoughts of all drawings are drawn, and how many there are is said', () => {
  const [one, two] = drawn([
    event('tot_expand', { candidates: Array.from({ length: mostThoughts + 100 }, () => 'x'.repeat(9000)) }),
    frame('got_plan', { node_ids: ['a'] }, { run_id: 'other' }),
  ])
  expect(one?.thoughts).toHaveLength(500)
  expect(one?.edges).toHaveLength(499)
  expect(one?.thoughts[1]?.length).toBeLessThan(4100)
  expect(one?.notes.at(-1)).toBe('Drawn are 500 of 601.')
  expect([two?.thoughts, two?.notes.at(-1)]).toEqual([[], 'Drawn are 0 of 1.'])
})
