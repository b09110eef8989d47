import { useCallback, useState } from 'react'
import type { Filter } from '../filters/filter'
import { columnIds, usualColumns, type ColumnId } from './columns'

const key = 'tapedeck.columns'

/** The columns that this browser keeps; [] for none. */
function kept(): readonly ColumnId[] {
  try {
    const ids: unknown = JSON.parse(localStorage.getItem(key) ?? '[]')
    return Array.isArray(ids) ? columnIds(ids) : []
  } catch {
    return [] // storage is disabled, or holds something else
  }
}

/** The columns of the list: those of the address, else those that the browser keeps, else the usual ones. */
export function useColumns(
  filter: Filter,
  change: (part: Partial<Filter>, options: { replace: boolean }) => void,
  wide: boolean,
): [readonly ColumnId[], (ids: readonly ColumnId[]) => void] {
  const [own, setOwn] = useState(kept)
  const named = columnIds(filter.columns)
  const shown = named.length > 0 ? named : own.length > 0 ? own : usualColumns(wide)
  const inAddress = filter.columns.length > 0
  const set = useCallback(
    (ids: readonly ColumnId[]) => {
      setOwn(ids)
      try {
        localStorage.setItem(key, JSON.stringify(ids))
      } catch {
        // They are kept until the page is left.
      }
      if (inAddress) change({ columns: ids }, { replace: true })
    },
    [inAddress, change],
  )
  return [shown, set]
}
