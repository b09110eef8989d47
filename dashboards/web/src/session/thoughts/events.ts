import type { Schemas } from '../../api/client'
import { eventOf, fieldsOf, holdsState } from '../state/snapshots'
import { bounded, type Drawing } from './drawing'
import type { ThoughtEvent } from './event'
import { graphsOf } from './graph'
import { treeOf } from './tree'

type Frame = Schemas['Frame']

/** The types of Loom's events, in both of its forms, and what the first form calls them. */
const types = new Map<string, string>(
  [
    'tot_expand',
    'tot_evaluate',
    'tot_backtrack',
    'got_plan',
    'got_node_start',
    'got_node_complete',
    'got_node_failed',
    'got_expand',
  ].flatMap((name) => [
    [name, name],
    [name.replace(/(^|_)(.)/g, (_, __, letter: string) => letter.toUpperCase()), name],
  ]),
)

/** Whether frames of a type may hold thoughts. */
export function holdsThoughts(type: string): boolean {
  return types.has(type)
}

/** Whether frames of a type may hold a graph's nodes, edges of which only states have. */
export function ofGraph(type: string): boolean {
  return types.get(type)?.startsWith('got_') ?? false
}

/** What is drawn of some frames, which need not be in order: a tree for each run, and its graphs. */
export function drawingsOf(frames: readonly Frame[]): Drawing[] {
  const sorted = [...frames].sort((a, b) => a.offset_ms - b.offset_ms || order(a, b))
  const runs = new Map<string, ThoughtEvent[]>()
  for (const frame of sorted) {
    const event = thoughtEvent(frame)
    if (event === null) continue
    const key = `${frame.stream_id} ${frame.run_id}`
    const run = runs.get(key)
    if (run === undefined) runs.set(key, [event])
    else run.push(event)
  }
  const drawings: Drawing[] = []
  for (const [key, events] of runs) {
    const tree = treeOf(key, events)
    if (tree !== null) drawings.push(tree)
    drawings.push(...graphsOf(key, events))
  }
  return bounded(drawings)
}

/** Frames of one moment are in the order of their stream. */
function order(a: Frame, b: Frame): number {
  return a.stream_id === b.stream_id ? a.seq - b.seq : a.stream_id < b.stream_id ? -1 : 1
}

function thoughtEvent({ type, dialect, frame, offset_ms: at }: Frame): ThoughtEvent | null {
  const outer = dialect === 'loom' ? eventOf(frame) : null
  if (outer === null) return null
  // The single-key form holds the payload under the type's name.
  const single = /^[A-Z]/.test(type)
  const kind = types.get(type)
  if (kind !== undefined) {
    if (!single) return { kind, fields: outer, at }
    // There node_id is the node of the graph; in the other form it is the envelope's.
    const fields = fieldsOf(outer[type])
    return fields === null ? null : { kind, fields: { ...fields, id: fields['node_id'] }, at }
  }
  if (!holdsState(type)) return null
  const state = type === 'Values' ? outer[type] : (single ? fieldsOf(outer[type]) : outer)?.['state']
  return { kind: 'state', fields: { state }, at }
}
