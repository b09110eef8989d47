import type { Schemas } from '../../api/client'
import { reachOf } from './span'

type Span = Schemas['Span']

/** A line of the waterfall. */
export interface Row {
  span: Span
  /** How deep in the tree, from 0. */
  depth: number
}

/** The lines of a tree of spans, without those below folded ones. */
export function rowsOf(spans: readonly Span[], folded: ReadonlySet<string>): Row[] {
  const rows: Row[] = []
  const rest: Row[] = []
  const push = (children: readonly Span[], depth: number) => {
    for (let i = children.length - 1; i >= 0; i--) {
      const span = children[i]
      if (span !== undefined) rest.push({ span, depth })
    }
  }
  push(spans, 0)
  for (let row = rest.pop(); row !== undefined; row = rest.pop()) {
    rows.push(row)
    if (!folded.has(row.span.id)) push(row.span.children, row.depth + 1)
  }
  return rows
}

/**
 * From when to when the spans reach, ms from the session's start; at least `duration` long. `known` is that of
 * reachOf.
 */
export function extentOf(rows: readonly Row[], duration: number, known: number | null): Range {
  let [from, to] = [0, Math.max(duration, 1)]
  for (const { span } of rows) {
    from = Math.min(from, span.start_ms)
    to = Math.max(to, reachOf(span, known))
  }
  return { from, to }
}

/** A part of the session's time, ms from its start. */
export interface Range {
  from: number
  to: number
}
