import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query'
import { answered, api, type Schemas } from '../api/client'

export type Entry = Schemas['AuditEntry']
export type Outcome = Schemas['AuditOutcome']

/** What entries are restricted to; "" is no restriction. */
export interface Filter {
  principal: string
  action: string
  object: string
  outcome: Outcome | ''
  from: string
}

const pageSize = 100

/** The entries that a filter leaves, the latest first. */
export const entriesQuery = (filter: Filter) =>
  infiniteQueryOptions({
    queryKey: ['audit', filter],
    queryFn: ({ pageParam, signal }) =>
      // Without format= the answer is a page.
      answered(
        api.GET('/v1/audit', {
          params: {
            query: { limit: pageSize, ...chosen(filter), ...(pageParam !== '' && { cursor: pageParam }) },
          },
          signal,
        }),
      ) as Promise<Schemas['AuditPage']>,
    initialPageParam: '',
    getNextPageParam: (last) => last.next,
    placeholderData: keepPreviousData,
  })

/** The parameters that restrict. */
export function chosen({ principal, action, object, outcome, from }: Filter) {
  return {
    ...(principal !== '' && { principal }),
    ...(action !== '' && { action }),
    ...(object !== '' && { object }),
    ...(outcome !== '' && { outcome }),
    ...(from !== '' && { from }),
  }
}
