import type { Axis, Series } from '../reports/chart'
import { duration } from '../format/duration'
import { compact } from '../format/numbers'
import type { CallRow } from './queries'

export const timeAxis: Axis = { format: duration }

export const countAxis: Axis = { format: (n) => (Number.isInteger(n) ? compact(n) : ''), least: 4 }

/** A value of the row of each period; null where there is none. */
function valuesOf(rows: readonly CallRow[], starts: readonly number[], of: (row: CallRow) => number | null) {
  const at = new Map(rows.map((row) => [Date.parse(row.period_start ?? ''), row]))
  return starts.map((start) => {
    const row = at.get(start)
    return row === undefined ? null : of(row)
  })
}

/** How long first tokens and gaps took, by period. */
export function timeSeries(rows: readonly CallRow[], starts: readonly number[]): Series[] {
  const values = (of: (row: CallRow) => number | null) => valuesOf(rows, starts, of)
  return [
    {
      name: 'first token p95',
      colour: 'var(--series-3)',
      drawn: values((row) => row.first_token_p95_ms),
      kind: 'line',
    },
    {
      name: 'first token p50',
      colour: 'var(--series-1)',
      drawn: values((row) => row.first_token_p50_ms),
      kind: 'line',
    },
    { name: 'gap p99', colour: 'var(--series-5)', drawn: values((row) => row.gap_p99_ms), kind: 'line' },
  ]
}

/** How many calls failed or stalled, by period. */
export function failureSeries(rows: readonly CallRow[], starts: readonly number[]): Series[] {
  const failed = valuesOf(rows, starts, ({ errors, stalled_calls }) => errors + stalled_calls)
  return [{ name: 'errors and stalled calls', colour: 'var(--mark-error)', drawn: failed, kind: 'bars' }]
}
