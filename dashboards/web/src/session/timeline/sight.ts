import type { Range, Row } from './rows'
import { between, isWhole, within } from './scale'
import { reachOf } from './span'
import type { Warp } from './warp'

/** What the axis shows: the time of the rows in sight, the whole run, or a part that the reader chose. */
export type View = 'rows' | 'whole' | Range

/** How much of its end a session that is watched live shows at least, ms. */
const recent = 60_000
/** How much room is left on both sides of the rows in sight. */
const margin = 0.02

/** The rows that can be seen, by their indices; the last one included. */
export interface Sight {
  first: number
  last: number
}

/**
 * The drawn range of the rows in sight: from the first beginning of a call among them to the last end. What holds
 * other spans may reach far beyond its rows and does not count. Live, it reaches to `known` from `recent` before the
 * latest frame at the latest. All rows in sight show the whole run.
 */
export function rangeOf(
  rows: readonly Row[],
  sight: Sight | null,
  all: Range,
  warp: Warp,
  known: number | null,
  live: { edge: number } | null,
): Range {
  if (sight === null || (sight.first <= 0 && sight.last >= rows.length - 1)) return all
  let [from, to] = [Infinity, -Infinity]
  for (let i = sight.first; i <= sight.last; i++) {
    const span = rows[i]?.span
    if (span === undefined || span.children.length > 0) continue
    from = Math.min(from, span.start_ms)
    to = Math.max(to, reachOf(span, known))
  }
  if (live !== null && known !== null) {
    from = Math.min(from, live.edge - recent)
    to = Math.max(to, known)
  }
  if (from > to) return all
  const [left, right] = [warp.draw(from), warp.draw(to)]
  const room = (right - left) * margin
  return within(between(left - room, right + (live === null ? room : 0), all), all)
}

/** A range that the reader chose, as the view that shows it. */
export function viewOf(range: Range, all: Range): View {
  return isWhole(range, all) ? 'whole' : range
}
