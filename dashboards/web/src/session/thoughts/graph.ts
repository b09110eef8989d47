import { fieldsOf } from '../state/snapshots'
import { type Drawing, type Edge, textOf, type Thought, titleOf } from './drawing'
import type { ThoughtEvent } from './event'

/** What is known of a graph so far. */
interface Graph {
  nodes: Map<string, Thought>
  edges: Edge[] | null
  planned: number
  expansions: number
  odd: number
}

/**
 * The graphs of a run, one for each plan. Events state the nodes; between which of them edges are, only the states
 * that the source sends beside the events.
 */
export function graphsOf(key: string, events: readonly ThoughtEvent[]): Drawing[] {
  const graphs: Graph[] = []
  let graph: Graph | undefined
  const begin = (): Graph => {
    const made = { nodes: new Map<string, Thought>(), edges: null, planned: 0, expansions: 0, odd: 0 }
    graphs.push(made)
    return made
  }
  for (const event of events) {
    const { kind, fields } = event
    if (kind === 'state') {
      if (graph !== undefined) stated(graph, event)
    } else if (kind === 'got_plan') {
      graph = begin()
      planned(graph, event)
    } else if (kind === 'got_expand') {
      graph ??= begin()
      graph.expansions++
    } else if (kind.startsWith('got_node_')) {
      graph ??= begin()
      ran(graph, kind, fields, event.at)
    }
  }
  return graphs.filter(({ nodes }) => nodes.size > 0).map((one, i) => drawn(`${key} ${i}`, one))
}

function node(graph: Graph, id: string, at: number): Thought {
  let found = graph.nodes.get(id)
  if (found === undefined) {
    found = { id, title: titleOf(id), text: '', score: null, mark: null, at }
    graph.nodes.set(id, found)
  }
  return found
}

function planned(graph: Graph, { fields, at }: ThoughtEvent) {
  const ids = fields['node_ids']
  if (Array.isArray(ids))
    for (const id of ids as unknown[]) if (typeof id === 'string') node(graph, id, at).mark = 'planned'
  if (typeof fields['edge_count'] === 'number') graph.planned = fields['edge_count']
}

const marks = {
  got_node_start: 'started',
  got_node_complete: 'complete',
  got_node_failed: 'failed',
} as const

/** Reads what became of a node. It leads to its start, where that is stated. */
function ran(graph: Graph, kind: string, fields: Readonly<Record<string, unknown>>, at: number) {
  const id = fields['id']
  if (typeof id !== 'string' || !(kind in marks)) return
  const found = node(graph, id, at)
  const before = found.mark
  found.mark = marks[kind as keyof typeof marks]
  if (found.mark === 'started') found.at = at
  else if (before === 'planned') found.at = at
  const text = textOf(fields[found.mark === 'failed' ? 'error' : 'result_summary'])
  if (text !== '') found.text = text
}

/** Reads a state that holds the graph: its nodes, with what they are for, and its edges. */
function stated(graph: Graph, { fields, at }: ThoughtEvent) {
  const whole = fieldsOf(fieldsOf(fields['state'])?.['task_graph'])
  const nodes = whole?.['nodes']
  const edges = whole?.['edges']
  if (!Array.isArray(nodes) || !Array.isArray(edges) || nodes.length === 0) return
  for (const value of nodes as unknown[]) {
    const one = fieldsOf(value)
    if (typeof one?.['id'] !== 'string') continue
    const found = node(graph, one['id'], at)
    found.mark ??= 'planned'
    if (found.text === '') found.text = textOf(one['description'])
  }
  graph.edges = []
  graph.odd = 0
  const seen = new Set<string>()
  for (const value of edges as unknown[]) {
    const [from, to] = Array.isArray(value) ? (value as unknown[]) : []
    if (typeof from !== 'string' || typeof to !== 'string' || from === to) graph.odd++
    else if (!graph.nodes.has(from) || !graph.nodes.has(to)) graph.odd++
    else if (!seen.has(JSON.stringify([from, to]))) {
      seen.add(JSON.stringify([from, to]))
      graph.edges.push({ from, to, stated: true })
    }
  }
}

function drawn(key: string, { nodes, edges, planned, expansions, odd }: Graph): Drawing {
  const notes: string[] = []
  if (edges === null) {
    const count = planned > 0 ? `The plan states how many edges there are (${planned}), not which. ` : ''
    notes.push(`${count}The source sent no state that holds the graph, so that no edges are drawn.`)
    if (expansions > 0)
      notes.push(`Expansions of ${expansions} nodes state how many nodes they add, not which.`)
  } else notes.push('The edges are those of the latest state that holds the graph.')
  if (odd > 0) notes.push(`${odd} edges are left out: they lead to the same node or to none that is known.`)
  return { kind: 'graph', key, thoughts: [...nodes.values()], edges: edges ?? [], notes }
}
