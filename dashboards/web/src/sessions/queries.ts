import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { answered, api, isRefused } from '../api/client'
import { toQuery, type Filter } from '../filters/filter'

/** How many sessions are fetched at once. */
const pageSize = 100
/** At most so many running sessions are kept on top. */
const runningLimit = 100

/** The sessions that pass a filter, page by page as the list is scrolled. */
export const sessionsQuery = (filter: Filter) =>
  infiniteQueryOptions({
    queryKey: ['sessions', 'list', filter],
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

/** Those of them that run, every two seconds. */
export const runningQuery = (filter: Filter) =>
  queryOptions({
    queryKey: ['sessions', 'running', filter],
    queryFn: async ({ signal }) => {
      const query = { ...toQuery(filter), status: ['running' as const], limit: runningLimit }
      return (await answered(api.GET('/v1/sessions', { params: { query }, signal }))).items
    },
    enabled: filter.status.length === 0 || filter.status.includes('running'),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (isRefused(state.error) ? false : 2_000),
  })
