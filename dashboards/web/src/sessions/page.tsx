import { Button, NativeSelect, Title } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { IconFilterOff } from '@tabler/icons-react'
import { lazy, Suspense, useEffect, useMemo, useRef } from 'react'
import { useSearch } from 'wouter'
import { Empty } from '../components/empty'
import { Notice } from '../components/notice'
import { ProblemAlert } from '../components/problem'
import { useTitle } from '../components/title'
import { useBothEnds, useListRows } from './bothends'
import { Chosen } from './chosen'
import { useChoosing } from './choosing'
import { columns, findingsColumn, sortNames, usualColumns } from './columns'
import { everything, formatFilter, leftOut, narrows, sorts, unnarrowed, type Filter } from '../filters/filter'
import { Filters } from './filters'
import { keepListAddress } from './lastaddress'
import classes from './page.module.css'
import { useOnTop } from './ontop'
import { totalsQuery } from './queries'
import { anyEnded, type Session } from './rows'
import { Search } from '../filters/search'
import { SessionTable } from './table'
import { TopCounts } from './topcounts'
import { Totals } from './totals'
import { useColumns } from './usecolumns'
import { useFilter } from './usefilter'
import { ViewsMenu } from './viewsmenu'

const FirstSession = lazy(() => import('./first'))

export function SessionsPage() {
  useTitle('Sessions')
  const [filter, change] = useFilter()
  const unknown = leftOut(useSearch())
  const narrow = useMediaQuery('(max-width: 56em)', window.innerWidth <= 896)
  const wide = useMediaQuery('(min-width: 75em)', window.innerWidth >= 1200)
  const choosing = useChoosing()
  const [shown, setShown] = useColumns(filter, change, wide)
  const shownColumns = useMemo(() => {
    const ids = narrow ? usualColumns(false) : shown
    const found = ids.flatMap((id) => columns.find((column) => column.id === id) ?? [])
    return filter.findings ? [...found, findingsColumn] : found
  }, [narrow, shown, filter.findings])
  useEffect(() => keepListAddress(formatFilter(filter)), [filter])
  const both = useBothEnds(filter)
  const { list, last } = both
  const top = useOnTop(filter, list.isPlaceholderData)
  useRefreshWhenOneEnds(filter, top.sessions)
  const totals = useQuery(totalsQuery(filter, list.isSuccess && !list.isPlaceholderData)).data
  // All at once, so that no row moves away from under a click.
  const loading = list.isPending || top.pending
  const loaded = useListRows(both, loading ? null : top.sessions)
  const error = list.error ?? last?.error ?? top.error
  const empty = !loading && list.isSuccess && !list.isPlaceholderData && loaded.rows.length === 0
  return (
    <div className={classes.page}>
      <div className={classes.bar}>
        <div className={classes.line}>
          <Title order={1} size="h3">
            Sessions
          </Title>
          <ViewsMenu filter={filter} columns={shown} />
          <div className={classes.search}>
            <Search value={filter.q} change={(q, options) => change({ q }, options)} />
          </div>
          {narrow && (
            <NativeSelect
              aria-label="Order"
              size="sm"
              value={filter.sort}
              data={[...sortNames]}
              onChange={(event) =>
                change({ sort: sorts.find((sort) => sort === event.currentTarget.value) ?? everything.sort })
              }
            />
          )}
          <div className={classes.counts}>
            <TopCounts sessions={top.sessions} />
            <Totals totals={totals} />
          </div>
        </div>
        <Filters filter={filter} change={change} columns={shown} setColumns={setShown} narrow={narrow} />
        <Chosen
          choosing={choosing}
          filter={filter}
          fit={totals === undefined || totals.more ? null : totals.sessions}
        />
      </div>
      {unknown.length > 0 && (
        <Notice icon={<IconFilterOff size={16} />}>
          No filter has the value {unknown.join(', ')} of the address: it is ignored.
        </Notice>
      )}
      {error !== null && (
        <div className={classes.problem}>
          <ProblemAlert
            error={error}
            again={() => void Promise.all([list.refetch(), last?.refetch(), top.again()])}
          />
        </div>
      )}
      {error !== null && loaded.rows.length === 0 ? null : empty ? (
        narrows(filter) ? (
          <Empty title="No session is like that">
            <Button mt="sm" size="xs" variant="light" onClick={() => change(unnarrowed(filter))}>
              Clear the search and all filters
            </Button>
          </Empty>
        ) : (
          <Suspense>
            <FirstSession />
          </Suspense>
        )
      ) : (
        <SessionTable
          loaded={loaded}
          totals={totals}
          columns={shownColumns}
          sort={filter.sort}
          setSort={(sort) => change({ sort })}
          narrow={narrow}
          choosing={choosing}
          loading={loading}
          stale={list.isPlaceholderData}
        />
      )}
    </div>
  )
}

/** The list is outdated when a session has ended: all loaded pages are fetched again. */
function useRefreshWhenOneEnds(filter: Filter, running: readonly Session[]) {
  const queries = useQueryClient()
  const before = useRef({ filter, running })
  useEffect(() => {
    if (before.current.filter === filter && anyEnded(before.current.running, running))
      void queries.invalidateQueries({ queryKey: ['sessions', 'list'] })
    before.current = { filter, running }
  }, [queries, filter, running])
}
