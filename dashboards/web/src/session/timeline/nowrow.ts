import { countUntil } from '../conversation/growth'
import type { Row } from './rows'
import { endOf } from './span'

/** How many of the spans that began last are searched for one that is in progress. */
const most = 200

/** The lines of a waterfall in order of their starts; it answers for any moment. */
export interface Starts {
  at: Float64Array
  /** The line of each. */
  index: Uint32Array
}

export function startsOf(rows: readonly Row[]): Starts {
  // Those of one time in order of their lines: a child comes after its parent.
  const index = Uint32Array.from(rows.keys()).sort(
    (a, b) => (rows[a]?.span.start_ms ?? 0) - (rows[b]?.span.start_ms ?? 0) || a - b,
  )
  return { at: Float64Array.from(index, (i) => rows[i]?.span.start_ms ?? 0), index }
}

/**
 * The line of a moment: the span in progress then that began last, otherwise the last span that began before it. -1
 * before the first.
 */
export function rowAt(rows: readonly Row[], { at, index }: Starts, moment: number): number {
  const count = countUntil(at, moment)
  const last = index[count - 1]
  if (last === undefined) return -1
  for (let i = count - 1; i >= Math.max(0, count - most); i--) {
    const row = rows[index[i] ?? 0]
    if (row === undefined || row.span.children.length > 0) continue
    const end = endOf(row.span)
    if (end === null || end > moment) return index[i] ?? last
  }
  return last
}
