/** A row of a report: its period, and a value for each grouping beside its figures. */
export interface Grouped {
  period: string | null
  period_start: string | null
}

/** What a row is grouped by, for one grouping; null where it has none. */
export function groupValue(row: Grouped, grouping: string): string | null {
  const value = (row as unknown as Record<string, unknown>)[grouping]
  return typeof value === 'string' ? value : null
}

/** A row's groups as one name. */
export function groupName(row: Grouped, groupBy: readonly string[]): string {
  return groupBy.map((grouping) => groupValue(row, grouping) ?? 'unknown').join(' · ') || 'all'
}

/** Identifies a row among the others. */
export function rowKey(row: Grouped, groupBy: readonly string[]): string {
  return JSON.stringify([row.period, ...groupBy.map((grouping) => groupValue(row, grouping))])
}
