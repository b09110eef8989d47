import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query'
import { answered, api, type Schemas } from '../api/client'
import { searchQuery, type Search } from './params'

export type Hit = Schemas['SearchHit']
export type SearchAnswer = Schemas['SearchAnswer']

/** How many hits are fetched at once. */
const pageSize = 30

/** The hits of a search, page by page. */
export const hitsQuery = (search: Search) => {
  const query = searchQuery(search)
  return infiniteQueryOptions({
    queryKey: ['search', query],
    queryFn: ({ pageParam, signal }) =>
      answered(
        api.GET('/v1/search', {
          params: { query: { ...query, limit: pageSize, ...(pageParam !== '' && { cursor: pageParam }) } },
          signal,
        }),
      ),
    initialPageParam: '',
    getNextPageParam: (last) => last.next,
    placeholderData: keepPreviousData,
    enabled: search.filter.q !== '',
  })
}
