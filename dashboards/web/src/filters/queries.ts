import { queryOptions } from '@tanstack/react-query'
import { answered, api } from '../api/client'

/** The names that sessions can be filtered by. */
export const facetsQuery = queryOptions({
  queryKey: ['facets'],
  queryFn: ({ signal }) => answered(api.GET('/v1/facets', { signal })),
  staleTime: 60_000,
})
