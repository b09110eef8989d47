import { queryOptions, type QueryClient } from '@tanstack/react-query'
import { answered, api } from '../api/client'
import { look, type Look } from './rates'

/** How often it is looked which streams there are, ms. */
const pause = 2_000

const liveKey = ['streams', 'live']

/** The streams that are being recorded, with their rates. */
export const liveQuery = (queries: QueryClient) =>
  queryOptions({
    queryKey: liveKey,
    queryFn: async ({ signal }): Promise<Look> => {
      const query = { active: '1' as const, limit: 100 }
      const { items } = await answered(api.GET('/v1/streams', { params: { query }, signal }))
      return look(items, Date.now(), queries.getQueryData<Look>(liveKey))
    },
    refetchInterval: pause,
    gcTime: 0,
  })

/** The streams that ended in an error last. */
export const failedQuery = queryOptions({
  queryKey: ['streams', 'failed'],
  queryFn: async ({ signal }) =>
    (await answered(api.GET('/v1/streams', { params: { query: { failed: '1', limit: 5 } }, signal }))).items,
  refetchInterval: 5 * pause,
})
