/** The messages of a replay WebSocket with mode=cue, as far as the player reads them. */
export type Message = Cue | State | Refusal | { type: 'end' }

/** Frames were due: how many since the cue before, and the last of them. */
export interface Cue {
  type: 'cue'
  position: string
  offset_ms: number
  frames: number
}

/** The answer to a control, or what the server's player did of itself. */
export interface State {
  type: 'state'
  op: string
  /** Ended: paused, and no frame is left to play. */
  state: 'playing' | 'paused' | 'ended'
  position: string | null
  offset_ms: number
  duration_ms: number
  paused: boolean
  frames: number
  live: boolean
  /** Of a session that is followed: until when the server knows all frames. */
  as_of_ms?: number
}

/** A control that was refused, or why the playback breaks off. */
export interface Refusal {
  type: 'error'
  title: string
  status: number
  detail?: string
  hint?: string
}

/** The controls of the server's player. */
export type Control =
  | { op: 'pause' | 'resume' | 'live' | 'state' }
  | { op: 'seek'; to: string }
  | { op: 'step'; frames: number }
  | { op: 'speed'; value: number }
  | { op: 'idle_limit'; value: string | null }
  | { op: 'loop'; value: boolean }

/** The address of the playback of a session, on the server that this page came from. */
export function replayAddress(session: string, follow: boolean): string {
  const scheme = location.protocol === 'https:' ? 'wss:' : 'ws:'
  const query = `mode=cue&hold=1${follow ? '&follow=1' : ''}`
  return `${scheme}//${location.host}/v1/sessions/${encodeURIComponent(session)}/replay?${query}`
}

/**
 * The place just after all that had arrived by an offset. Both count whole nanoseconds, so that a frame
 * that arrived at the offset itself lies before the place.
 */
export function placeAfter(offset: number): string {
  return `+${Math.round(offset * 1e6) + 1}ns`
}

export function idleLimitOf(limit: number | null): string | null {
  return limit === null ? null : `${limit}ms`
}
