import type { Sort } from '../filters/filter'

export type ColumnId =
  | 'status'
  | 'started'
  | 'last'
  | 'duration'
  | 'frames'
  | 'tokens'
  | 'cost'
  | 'tools'
  | 'dialect'
  | 'model'
  | 'agent'
  | 'error'
  | 'tags'

export interface Column {
  id: ColumnId | 'findings'
  name: string
  /** What the list is ordered by when its head is chosen, without the direction. */
  sort?: 'started' | 'last_at' | 'duration' | 'tokens' | 'cost'
  figures?: boolean
  /** As a track of a grid. */
  width: string
}

/** All columns beside that of the session, in the order in which they are offered. */
export const columns: readonly (Column & { id: ColumnId })[] = [
  { id: 'status', name: 'Status', width: '104px' },
  { id: 'started', name: 'Started', sort: 'started', width: '104px' },
  { id: 'last', name: 'Last frame', sort: 'last_at', width: '104px' },
  { id: 'duration', name: 'Duration', sort: 'duration', figures: true, width: '84px' },
  { id: 'frames', name: 'Frames', figures: true, width: '72px' },
  { id: 'tokens', name: 'Tokens', sort: 'tokens', figures: true, width: '72px' },
  { id: 'cost', name: 'Cost', sort: 'cost', figures: true, width: '84px' },
  { id: 'tools', name: 'Tools', figures: true, width: '72px' },
  { id: 'dialect', name: 'Dialect', width: '124px' },
  { id: 'model', name: 'Model', width: '160px' },
  { id: 'agent', name: 'Agent', width: '120px' },
  { id: 'error', name: 'Error', width: 'minmax(200px, 0.6fr)' },
  { id: 'tags', name: 'Tags', width: '160px' },
]

/** What does not add up, beside the other columns on request. */
export const findingsColumn: Column = { id: 'findings', name: 'Findings', figures: true, width: '72px' }

/** The columns of a list for which none were chosen, on wide screens and on others. */
export function usualColumns(wide: boolean): readonly ColumnId[] {
  const all: ColumnId[] = [
    'status',
    'started',
    'last',
    'duration',
    'frames',
    'tokens',
    'cost',
    'tools',
    'dialect',
  ]
  return wide ? all : all.filter((id) => id !== 'last' && id !== 'dialect')
}

/** The ids of columns among some texts, each once. */
export function columnIds(texts: readonly unknown[]): ColumnId[] {
  const ids = new Set(texts)
  return [...ids].flatMap((text) => columns.find(({ id }) => id === text)?.id ?? [])
}

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
