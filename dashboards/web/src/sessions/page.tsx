import { Button, NativeSelect, Title } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useRef } from 'react'
import { Empty } from '../components/empty'
import { ProblemAlert } from '../components/problem'
import { counted } from '../format/numbers'
import { useTitle } from '../components/title'
import { Chosen, useChoosing } from './choosing'
import { sortNames } from './columns'
import { everything, narrows, sorts, type Filter } from '../filters/filter'
import { Filters } from './filters'
import { FirstSession } from './first'
import classes from './page.module.css'
import { runningQuery, sessionsQuery } from './queries'
import { anyEnded, rowsOf, type Session } from './rows'
import { Search } from '../filters/search'
import { SessionTable } from './table'
import { useFilter } from './usefilter'

const none: readonly Session[] = []

export function SessionsPage() {
  useTitle('Sessions')
  const [filter, change] = useFilter()
  const narrow = useMediaQuery('(max-width: 56em)', window.innerWidth <= 896)
  const choosing = useChoosing()
  const list = useInfiniteQuery(sessionsQuery(filter))
  const running = useQuery(runningQuery(filter))
  const onTop = running.data ?? none
  useRefreshWhenOneEnds(filter, onTop)
  const rows = useMemo(
    () => rowsOf(onTop, list.data?.pages.map((page) => page.items) ?? []),
    [onTop, list.data],
  )
  const { fetchNextPage } = list
  const more = list.hasNextPage && !list.isFetchingNextPage ? () => void fetchNextPage() : null
  const error = list.error ?? running.error
  const empty = list.isSuccess && !list.isPlaceholderData && rows.length === 0
  return (
    <div className={classes.page}>
      <div className={classes.bar}>
        <div className={classes.line}>
          <Title order={1} size="h3">
            Sessions
          </Title>
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
          <span className={classes.running} role="status">
            {onTop.length > 0 && `${counted(onTop.length, 'session')} running`}
          </span>
        </div>
        <Filters filter={filter} change={change} />
        <Chosen chosen={choosing.chosen} clear={choosing.clear} />
      </div>
      {error !== null && (
        <div className={classes.problem}>
          <ProblemAlert error={error} again={() => void Promise.all([list.refetch(), running.refetch()])} />
        </div>
      )}
      {error !== null && rows.length === 0 ? null : empty ? (
        narrows(filter) ? (
          <Empty title="No session is like that">
            <Button
              mt="sm"
              size="xs"
              variant="light"
              onClick={() => change({ ...everything, findings: filter.findings, sort: filter.sort })}
            >
              Clear the search and all filters
            </Button>
          </Empty>
        ) : (
          <FirstSession />
        )
      ) : (
        <SessionTable
          rows={rows}
          sort={filter.sort}
          setSort={(sort) => change({ sort })}
          narrow={narrow}
          findings={filter.findings}
          choosing={choosing}
          loading={list.isPending}
          stale={list.isPlaceholderData}
          more={more}
          whole={!list.hasNextPage}
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
