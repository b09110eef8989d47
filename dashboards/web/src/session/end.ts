import type { Schemas } from '../api/client'
import { duration } from '../format/duration'

type End = Schemas['SessionEnd']

/** The reasons of ordinary ends, which need no line. */
const usual: ReadonlySet<End['reason']> = new Set(['eof', 'closed', 'done'])

/** How a session ended, in a line. `in` is what was open or failed then. */
export interface EndLine {
  text: string
  in: { id: string; name: string } | null
  /** It was requested, or no failure is known. */
  mild: boolean
}

/** How the detail of a run that failed with an error begins. */
const failed = 'the run failed: '

/** Describes the end of a session; null for one that is open or ended in the ordinary way. */
export function endLine(end: End | null): EndLine | null {
  if (end === null || usual.has(end.reason)) return null
  const { reason, offset_ms, detail, span } = end
  // Of a run that failed the error is the cause.
  const error = reason === 'error' && detail.startsWith(failed) ? detail.slice(failed.length) : null
  const verb =
    error !== null ? 'Failed' : reason === 'lost' ? 'Lost' : reason === 'cancelled' ? 'Cancelled' : 'Ended'
  return {
    text: `${verb} at ${duration(offset_ms)}: ${error ?? detail}`,
    // A run without a name is all of it.
    in: span && !(span.kind === 'run' && span.name === '') ? { id: span.id, name: spanName(span) } : null,
    mild: reason === 'cancelled' || reason === 'shutdown' || reason === 'lost',
  }
}

/** The same in one text, for the list of sessions: "Ended at 2.73 s: the recorded command exited with 137, in psql". */
export function causeOf(end: End | null): string | undefined {
  const line = endLine(end)
  if (line === null) return undefined
  return line.in === null ? line.text : `${line.text}, in ${line.in.name}`
}

/** A span's name, or what it is. */
export function spanName({ kind, name }: Pick<Schemas['SpanRef'], 'kind' | 'name'>): string {
  return name === '' ? `a ${kinds[kind]}` : name
}

const kinds = { run: 'run', node: 'step', llm: 'model call', tool: 'tool call' }
