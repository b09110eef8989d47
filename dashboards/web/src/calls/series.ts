import type { Axis, Series } from '../reports/chart'
import { duration } from '../format/duration'
import { compact } from '../format/numbers'
import type { CallRow } from './queries'

/** Times on the left, counts on the right. */
export const axes: readonly Axis[] = [
  { format: duration },
  { format: (n) => (Number.isInteger(n) ? compact(n) : ''), least: 4 },
]

/** How long first tokens and gaps took, and how many calls failed or stalled, by period. */
export function healthSeries(rows: readonly CallRow[], starts: readonly number[]): Series[] {
  const at = new Map(rows.map((row) => [Date.parse(row.period_start ?? ''), row]))
  const values = (of: (row: CallRow) => number | null) =>
    starts.map((start) => {
      const row = at.get(start)
      return row === undefined ? null : of(row)
    })
  return [
    {
      name: 'errors and stalled calls',
      colour: 'var(--mark-error)',
      drawn: values(({ errors, stalled_calls }) => errors + stalled_calls),
      kind: 'bars',
      axis: 1,
    },
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
