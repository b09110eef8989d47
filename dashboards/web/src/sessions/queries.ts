import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { answered, api, isRefused } from '../api/client'
import type { paths } from '../api/schema.gen'
import { toQuery, type Filter, type SessionsQuery } from '../filters/filter'

type TotalsQuery = NonNullable<paths['/v1/totals']['get']['parameters']['query']>

/** How many sessions are fetched at once. */
const pageSize = 100
/** At most so many sessions of a status are kept on top. */
export const topLimit = 100

/** The sessions that pass a filter, page by page as the list is scrolled. */
export const sessionsQuery = (filter: Filter) =>
  infiniteQueryOptions({
    queryKey: ['sessions', 'list', toQuery(filter)],
    queryFn: ({ pageParam, signal }) =>
      answered(
        api.GET('/v1/sessions', {
          params: {
            query: { ...toQuery(filter), limit: pageSize, ...(pageParam !== '' && { cursor: pageParam }) },
          },
          signal,
        }),
      ),
    initialPageParam: '',
    getNextPageParam: (last) => last.next,
    placeholderData: keepPreviousData,
    // The first page is polled for new sessions, until a reader has scrolled beyond it.
    refetchInterval: ({ state }) =>
      isRefused(state.error) || (state.data?.pages.length ?? 0) > 1 ? false : 5_000,
  })

/** The statuses of sessions that are kept on top, in this order. */
export type TopStatus = 'quiet' | 'running' | 'lost'

/** How often they are asked for, ms. */
const topInterval: Record<TopStatus, number> = { quiet: 5_000, running: 2_000, lost: 10_000 }

/** The sessions of the list that have a status; of the silent ones those first that became silent last. */
export const topQuery = (filter: Filter, status: TopStatus) =>
  queryOptions({
    queryKey: ['sessions', status, toQuery(filter)],
    queryFn: async ({ signal }) => {
      const query = { ...toQuery(filter), status: [status], limit: topLimit }
      if (status !== 'running') query.sort = '-last_at'
      return (await answered(api.GET('/v1/sessions', { params: { query }, signal }))).items
    },
    enabled: filter.status.length === 0 || filter.status.includes(status),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (isRefused(state.error) ? false : topInterval[status]),
  })

/** How many sessions pass a filter, and what they used. It is fetched after the rows. */
export const totalsQuery = (filter: Filter, enabled: boolean) => {
  const query: TotalsQuery & Pick<SessionsQuery, 'sort' | 'findings'> = toQuery(filter)
  delete query.sort
  delete query.findings
  return queryOptions({
    queryKey: ['sessions', 'totals', query],
    queryFn: ({ signal }) => answered(api.GET('/v1/totals', { params: { query }, signal })),
    enabled,
    staleTime: 30_000,
  })
}

/** How many sessions can be chosen at once. */
export const chosenMost = 500

/** The first sessions that pass a filter, in its order. */
export const firstSessions = (filter: Filter) =>
  answered(api.GET('/v1/sessions', { params: { query: { ...toQuery(filter), limit: chosenMost } } }))
