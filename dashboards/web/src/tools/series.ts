import type { Axis, Series } from '../reports/chart'
import { duration } from '../format/duration'
import { compact } from '../format/numbers'
import type { ToolRow } from './queries'

export const timeAxis: Axis = { format: duration }

export const countAxis: Axis = { format: (n) => (Number.isInteger(n) ? compact(n) : ''), least: 4 }

/** A value of the row of each period; null where there is none. */
function valuesOf(rows: readonly ToolRow[], starts: readonly number[], of: (row: ToolRow) => number | null) {
  const at = new Map(rows.map((row) => [Date.parse(row.period_start ?? ''), row]))
  return starts.map((start) => {
    const row = at.get(start)
    return row === undefined ? null : of(row)
  })
}

/** How long calls took, by period. */
export function timeSeries(rows: readonly ToolRow[], starts: readonly number[]): Series[] {
  const values = (of: (row: ToolRow) => number | null) => valuesOf(rows, starts, of)
  return [
    { name: 'p95', colour: 'var(--series-3)', drawn: values(({ p95_ms }) => p95_ms), kind: 'line' },
    { name: 'p50', colour: 'var(--series-1)', drawn: values(({ p50_ms }) => p50_ms), kind: 'line' },
  ]
}

/** How many calls failed, by period. */
export function errorSeries(rows: readonly ToolRow[], starts: readonly number[]): Series[] {
  const errors = valuesOf(rows, starts, (row) => row.errors)
  return [{ name: 'errors', colour: 'var(--mark-error)', drawn: errors, kind: 'bars' }]
}
