import type { Range, Row } from './rows'
import { reachOf } from './span'
import type { Warp } from './warp'

/** For each column of a picture, which share of its time calls took, from 0 to 1; `failed` is 1 where one failed. */
export interface SpanDensity {
  llm: Float32Array
  tool: Float32Array
  failed: Float32Array
}

/** The density of the calls over all of a timeline, in so many columns. Calls at the same time count once. */
export function densityOf(
  rows: readonly Row[],
  all: Range,
  warp: Warp,
  known: number | null,
  columns: number,
): SpanDensity {
  const zeros = () => new Float32Array(Math.max(columns, 0))
  const density = { llm: zeros(), tool: zeros(), failed: zeros() }
  const perColumn = (all.to - all.from) / columns
  if (!(perColumn > 0)) return density
  const columnOf = (drawn: number) => Math.min(Math.max((drawn - all.from) / perColumn, 0), columns)
  const calls = rows.flatMap(({ span }) => (span.kind === 'llm' || span.kind === 'tool' ? [span] : []))
  const filled = { llm: 0, tool: 0 }
  for (const span of calls.sort((a, b) => a.start_ms - b.start_ms)) {
    const { kind } = span
    if (kind !== 'llm' && kind !== 'tool') continue
    const [from, to] = [columnOf(warp.draw(span.start_ms)), columnOf(warp.draw(reachOf(span, known)))]
    const shares = density[kind]
    for (let x = Math.max(from, filled[kind]); x < to; x = Math.floor(x) + 1) {
      const column = Math.floor(x)
      shares[column] = (shares[column] ?? 0) + Math.min(to, column + 1) - x
    }
    filled[kind] = Math.max(filled[kind], to)
    const at = Math.min(Math.floor(from), columns - 1)
    // What took no time is there all the same.
    shares[at] = Math.max(shares[at] ?? 0, 0.05)
    if (span.status === 'error' || span.status === 'rejected') density.failed[at] = 1
  }
  return density
}
