import { queryOptions } from '@tanstack/react-query'
import { answered, api, type Schemas } from '../api/client'

export type Kind = Schemas['RetentionKind']
export type Policy = Schemas['RetentionPolicy']
export type Preview = Schemas['RetentionPreview']
export type Erasure = Schemas['Erasure']

/** How long each kind of data is kept. */
export const policiesQuery = queryOptions({
  queryKey: ['retention', 'policies'],
  queryFn: ({ signal }) => answered(api.GET('/v1/retention', { signal })),
})

/** What expires by the policies, and when. */
export const previewQuery = queryOptions({
  queryKey: ['retention', 'preview'],
  queryFn: ({ signal }) => answered(api.GET('/v1/retention/preview', { signal })),
})

/** What would expire of a kind by other limits. */
export const otherQuery = (limits: Limits | null) =>
  queryOptions({
    queryKey: ['retention', 'other', limits],
    queryFn: ({ signal }) =>
      answered(
        api.GET('/v1/retention/preview', {
          params: {
            query: {
              kind: limits?.kind ?? 'frames',
              ...(limits?.max_age_s != null && { max_age_s: limits.max_age_s }),
              ...(limits?.max_bytes != null && { max_bytes: limits.max_bytes }),
            },
          },
          signal,
        }),
      ),
    enabled: limits !== null && limits.kind !== 'bills',
    retry: false,
  })

/** The latest erasures. Those that are not verified change every few seconds. */
export const erasuresQuery = queryOptions({
  queryKey: ['retention', 'erasures'],
  queryFn: ({ signal }) => answered(api.GET('/v1/erasures', { signal })),
  refetchInterval: ({ state }) =>
    state.data?.items.some(({ state: of }) => of !== 'verified') === true ? 3000 : false,
})

/** The limits of a kind; null for none. */
export interface Limits {
  kind: Kind
  max_age_s: number | null
  max_bytes: number | null
}

/** Sets the policy of a kind. */
export function setPolicy(body: Limits): Promise<Policy> {
  return answered(api.PUT('/v1/retention', { body }))
}
