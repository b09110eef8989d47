import type { Schemas } from '../../api/client'
import { changesOf, type Change } from './diff'
import { patched } from './patch'

type Frame = Schemas['Frame']

/** A state that a source sent, and what it changed of the one before it of the same series. */
export interface Snapshot {
  position: string
  /** When it arrived, ms from the session's start. */
  at: number
  /** What it is a state of: "values", "updates of think". */
  series: string
  state: unknown
  /** Null for the first of its series. */
  changes: readonly Change[] | null
}

/** The types of frames that hold states, by the names that dialects have for them. */
const types = /^(STATE_SNAPSHOT|STATE_DELTA|values(\|.*)?|updates|checkpoint|Values|Updates|Checkpoint)$/

/** Whether frames of a type may hold states. */
export function holdsState(type: string): boolean {
  return types.test(type)
}

/** The states of frames, in their order, each with what it changed. States that change nothing are left out. */
export function snapshotsOf(frames: readonly Frame[]): Snapshot[] {
  const last = new Map<string, unknown>()
  const snapshots: Snapshot[] = []
  for (const frame of frames) {
    const found = stateOf(frame, last)
    if (found === null) continue
    const { series, state } = found
    const changes = last.has(series) ? changesOf(last.get(series), state) : null
    last.set(series, state)
    if (changes?.length === 0) continue
    snapshots.push({ position: frame.position, at: frame.offset_ms, series, state, changes })
  }
  return snapshots
}

type Found = { series: string; state: unknown } | null

/** The state that a frame holds; of a patch, the state that it makes of the one before. */
function stateOf({ type, dialect, frame }: Frame, last: ReadonlyMap<string, unknown>): Found {
  const fields = eventOf(frame)
  if (fields === null) return null
  switch (type) {
    case 'STATE_SNAPSHOT':
      return { series: 'state', state: fields['snapshot'] }
    case 'STATE_DELTA': {
      const state = patched(last.get('state'), fields['delta'])
      return state === undefined ? null : { series: 'state', state }
    }
    case 'Values':
      return { series: 'values', state: fields['Values'] }
    case 'Updates':
    case 'Checkpoint':
      return loomState(type.toLowerCase(), fieldsOf(fields[type]))
    case 'updates':
    case 'checkpoint':
      return dialect === 'loom' ? loomState(type, fields) : null
  }
  if (dialect === 'loom') return loomState('values', fields)
  // LangGraph: the state itself, or in an envelope of its newer protocol.
  const inner = fields['method'] === 'values' ? fieldsOf(fields['params'])?.['data'] : fields
  return inner === undefined ? null : { series: type.replace('|', ' of '), state: inner }
}

function loomState(kind: string, fields: Record<string, unknown> | null): Found {
  if (fields === null || !('state' in fields)) return null
  const node = fields['id'] ?? fields['node_id']
  const of = kind === 'updates' && typeof node === 'string' ? ` of ${node}` : ''
  return { series: `${kind}${of}`, state: fields['state'] }
}

/** The fields of a frame or, if Loom's server wrapped it, of the event in it. */
export function eventOf(frame: unknown): Record<string, unknown> | null {
  const outer = fieldsOf(frame)
  return outer?.['type'] === 'run_stream_event' ? (fieldsOf(outer['event']) ?? outer) : outer
}

export function fieldsOf(value: unknown): Record<string, unknown> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null
}
