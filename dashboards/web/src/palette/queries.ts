import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { answered, api } from '../api/client'

/** How many sessions are offered. */
const offered = 8

/** The sessions with a text in their title, id or tags, the newest first. */
export const foundQuery = (q: string) =>
  queryOptions({
    queryKey: ['sessions', 'palette', q],
    queryFn: ({ signal }) =>
      answered(api.GET('/v1/sessions', { params: { query: { q, limit: offered } }, signal })),
    enabled: q !== '',
    placeholderData: keepPreviousData,
  })
