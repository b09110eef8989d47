import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { formatFilter, reversed, type Filter } from '../filters/filter'
import { sessionsQuery } from './queries'
import { rowsOf, type ListRow, type Session } from './rows'

/** One end of the list, from which pages are loaded towards the other. */
export interface ListEnd {
  /** Fetches the next page; null when there is none, or a request for it is in flight. */
  more: (() => void) | null
  fetching: boolean
}

/** The loaded rows of the list, and how others are loaded. */
export interface ListRows {
  rows: readonly ListRow[]
  /** The index of the row that stands for the sessions between both ends that are not loaded; -1 if there is none. */
  gap: number
  /** All rows are loaded. */
  whole: boolean
  beginning: ListEnd
  end: ListEnd
  /** Has the end of the list loaded. */
  wantEnd: () => void
}

const none: readonly ListRow[] = []

/**
 * The list, loaded from both ends: from its beginning and, once its end was asked for, in the reverse order too. So the
 * end is one request away, however long the list is.
 */
export function useBothEnds(filter: Filter) {
  const list = useInfiniteQuery(sessionsQuery(filter))
  const [wanted, want] = useState<string | null>(null)
  const address = formatFilter({ ...filter, columns: [] })
  const reverse = useInfiniteQuery({
    ...sessionsQuery(reversed(filter)),
    placeholderData: () => undefined, // rows of another filter are not the end of this list
    enabled: wanted === address,
    refetchInterval: false,
  })
  return { list, last: wanted === address ? reverse : null, wantEnd: () => want(address) }
}

/** The rows of the list, those of the sessions on top first; null as long as not all of these are there. */
export function useListRows(
  { list, last, wantEnd }: ReturnType<typeof useBothEnds>,
  top: readonly Session[] | null,
): ListRows {
  const first = list.data?.pages
  // Pages that go all the way have no gap, also if sessions came between them meanwhile.
  const back = list.hasNextPage ? last?.data?.pages : undefined
  const parted = last?.hasNextPage !== false
  const rows = useMemo(() => {
    if (top === null) return none
    const all = rowsOf(top, first?.map(items) ?? [], back?.map(items) ?? [])
    return parted ? all : all.filter((row) => row !== null)
  }, [top, first, back, parted])
  const gap = useMemo(() => rows.indexOf(null), [rows])
  const whole = gap < 0 && (!list.hasNextPage || back !== undefined)
  return { rows, gap, whole, beginning: endOf(list, whole), end: endOf(last, whole), wantEnd }
}

const items = (page: { items: Session[] }) => page.items

function endOf(query: ReturnType<typeof useBothEnds>['last'], whole: boolean): ListEnd {
  return {
    more:
      query !== null && query.hasNextPage && !query.isFetchingNextPage && !whole
        ? () => void query.fetchNextPage()
        : null,
    fetching: query !== null && (query.isFetchingNextPage || query.isPending),
  }
}
