import { answered, api, type Schemas } from './client'
import type { paths } from './schema.gen'

export type Alert = Schemas['Alert']

type Query = NonNullable<paths['/v1/alerts']['get']['parameters']['query']>

/** The latest alerts that a query selects, 500 at most. */
export async function fetchAlerts(query: Query, signal: AbortSignal): Promise<Alert[]> {
  const page = await answered(api.GET('/v1/alerts', { params: { query: { ...query, limit: 500 } }, signal }))
  return typeof page === 'string' ? [] : page.items // a text is a stream, which was not asked for
}
