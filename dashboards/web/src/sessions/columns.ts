import type { Sort } from '../filters/filter'

export interface Column {
  name: string
  /** What the list is ordered by when its head is chosen, without the direction. */
  sort?: 'started' | 'last_at' | 'duration' | 'tokens' | 'cost'
  figures?: boolean
}

export const columns: readonly Column[] = [
  { name: 'Session' },
  { name: 'Status' },
  { name: 'Started', sort: 'started' },
  { name: 'Last frame', sort: 'last_at' },
  { name: 'Duration', sort: 'duration', figures: true },
  { name: 'Frames', figures: true },
  { name: 'Tokens', sort: 'tokens', figures: true },
  { name: 'Cost', sort: 'cost', figures: true },
  { name: 'Tools', figures: true },
  { name: 'Dialect' },
]

/** What does not add up, beside the other columns on request. */
export const findingsColumn: Column = { name: 'Findings', figures: true }

/** What choosing a column's head does: the highest first, and the other way round when it is chosen again. */
export function nextSort(current: Sort, key: NonNullable<Column['sort']>): Sort {
  return current === `-${key}` ? key : `-${key}`
}

/** How a column is sorted, in the words of aria-sort. */
export function sortedAs(current: Sort, key: Column['sort']): 'ascending' | 'descending' | 'none' {
  if (key === undefined) return 'none'
  return current === key ? 'ascending' : current === `-${key}` ? 'descending' : 'none'
}

/** The orders by name, where there are no heads to choose. */
export const sortNames: readonly { value: Sort; label: string }[] = [
  { value: '-started', label: 'Newest first' },
  { value: 'started', label: 'Oldest first' },
  { value: '-last_at', label: 'Latest frame first' },
  { value: '-duration', label: 'Longest first' },
  { value: 'duration', label: 'Shortest first' },
  { value: '-tokens', label: 'Most tokens first' },
  { value: 'tokens', label: 'Fewest tokens first' },
  { value: '-cost', label: 'Highest cost first' },
  { value: 'cost', label: 'Lowest cost first' },
]
