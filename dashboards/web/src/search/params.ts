import type { paths } from '../api/schema.gen'
import { formatFilter, parseFilter, toQuery, type Filter, type SessionsQuery } from '../filters/filter'

export type SearchQuery = paths['/v1/search']['get']['parameters']['query']
export type Kind = NonNullable<SearchQuery['kind']>[number]
export type Role = NonNullable<SearchQuery['role']>[number]
export type Order = NonNullable<SearchQuery['order']>

export const kinds: readonly Kind[] = [
  'system',
  'user',
  'assistant',
  'thinking',
  'tool_arguments',
  'tool_output',
  'tool_result',
  'reply',
  'error',
]
export const roles: readonly Role[] = ['system', 'user', 'assistant', 'tool']

/** What the address of the search page holds: a filter of sessions, whose q is the searched text, and more. */
export interface Search {
  filter: Filter
  kind: readonly Kind[]
  role: readonly Role[]
  session: readonly string[]
  order: Order
}

/** Reads an address's query. What is not understood there is left out. */
export function parseSearch(address: string): Search {
  const params = new URLSearchParams(address)
  return {
    filter: { ...parseFilter(address), sort: '-started', findings: false, columns: [] },
    kind: kinds.filter((kind) => params.getAll('kind').includes(kind)),
    role: roles.filter((role) => params.getAll('role').includes(role)),
    session: [...new Set(params.getAll('session'))].filter((id) => id !== ''),
    order: params.get('order') === 'relevance' ? 'relevance' : 'newest',
  }
}

/** The address of the search page for a search. */
export function searchAddress({ filter, kind, role, session, order }: Search): string {
  const params = new URLSearchParams(formatFilter(filter))
  for (const value of kind) params.append('kind', value)
  for (const value of role) params.append('role', value)
  for (const value of session) params.append('session', value)
  if (order !== 'newest') params.set('order', order)
  const text = params.toString()
  return text === '' ? '/search' : `/search?${text}`
}

/** The API's parameters for a search. */
export function searchQuery({ filter, kind, role, session, order }: Search): SearchQuery {
  const rest: Partial<SessionsQuery> = toQuery(filter)
  delete rest.sort // of the list of sessions alone
  delete rest.findings
  return {
    ...rest,
    q: filter.q,
    ...(kind.length > 0 && { kind: [...kind] }),
    ...(role.length > 0 && { role: [...role] }),
    ...(session.length > 0 && { session: [...session] }),
    order,
  }
}

/** Whether filters leave something out. */
export function isNarrowed({ filter, kind, role, session }: Search): boolean {
  return (
    kind.length + role.length + session.length > 0 ||
    formatFilter({ ...filter, q: '', sort: '-started', findings: false, columns: [] }) !== ''
  )
}
