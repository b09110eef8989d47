import type { Schemas } from '../../api/client'
import type { SpanState } from '../../components/spanstate'

type Span = Schemas['Span']

/** Where a span ends, ms from the session's start; null while it is open and its session goes on. */
export function endOf(span: Span): number | null {
  if (span.duration_ms !== null) return span.start_ms + span.duration_ms
  // It did not end, but what it belongs to did.
  return span.status === 'unclosed' ? span.start_ms + (span.open_ms ?? 0) : null
}

/**
 * Until when a span is known to have lasted, ms from the session's start. `known` is until when the session's data
 * is complete while it is followed, otherwise null: open spans have lasted until then. The server's own duration of
 * them could be ahead of the data.
 */
export function reachOf(span: Span, known: number | null): number {
  if (known !== null && endOf(span) === null) return Math.max(known, span.start_ms)
  return span.start_ms + (span.duration_ms ?? span.open_ms ?? 0)
}

/**
 * What was known of a span at a moment. `asked` is when an approval was requested, ms from the session's
 * start, or null.
 */
export function stateAt(span: Span, moment: number, asked: number | null = null): SpanState {
  const end = endOf(span)
  if (end !== null && moment >= end) return settled(span.status)
  const waits = asked !== null && moment >= asked
  // Once it was approved, its start is when it was executed.
  if (moment < span.start_ms) return waits ? 'waiting' : 'before'
  if (waits && asked >= span.start_ms) return 'waiting'
  // Without a time at which it began to wait, it waited from its start.
  return asked === null && span.status === 'waiting' ? 'waiting' : 'running'
}

/** The status of a span. */
export function finalState(span: Span): SpanState {
  return settled(span.status)
}

function settled(status: Schemas['SpanStatus']): SpanState {
  return status === 'open' ? 'running' : status === '' ? 'ok' : status
}

/** When an approval of a tool call was requested, ms from the session's start; null where none was. */
export function askedAt(span: Span, sessionStarted: string): number | null {
  const at: unknown = span.attributes?.['approval_at']
  if (typeof at !== 'string') return null
  const ms = Date.parse(at) - Date.parse(sessionStarted)
  return Number.isNaN(ms) ? null : ms
}

/** A span and all below it, parents first. */
export function* withDescendants(spans: readonly Span[]): Generator<Span> {
  const rest = [...spans].reverse()
  for (let span = rest.pop(); span !== undefined; span = rest.pop()) {
    yield span
    for (let i = span.children.length - 1; i >= 0; i--) {
      const child = span.children[i]
      if (child !== undefined) rest.push(child)
    }
  }
}
