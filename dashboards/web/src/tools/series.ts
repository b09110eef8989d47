import type { Axis, Series } from '../reports/chart'
import { duration } from '../format/duration'
import { compact } from '../format/numbers'
import type { ToolRow } from './queries'

/** Times on the left, counts on the right. */
export const axes: readonly Axis[] = [
  { format: duration },
  { format: (errors) => (Number.isInteger(errors) ? compact(errors) : ''), least: 4 },
]

/** How long calls took and how many failed, by period. */
export function timeSeries(rows: readonly ToolRow[], starts: readonly number[]): Series[] {
  const at = new Map(rows.map((row) => [Date.parse(row.period_start ?? ''), row]))
  const values = (of: (row: ToolRow) => number | null) =>
    starts.map((start) => {
      const row = at.get(start)
      return row === undefined ? null : of(row)
    })
  return [
    {
      name: 'errors',
      colour: 'var(--mark-error)',
      drawn: values(({ errors }) => errors),
      kind: 'bars',
      axis: 1,
    },
    { name: 'p95', colour: 'var(--series-3)', drawn: values(({ p95_ms }) => p95_ms), kind: 'line' },
    { name: 'p50', colour: 'var(--series-1)', drawn: values(({ p50_ms }) => p50_ms), kind: 'line' },
  ]
}
