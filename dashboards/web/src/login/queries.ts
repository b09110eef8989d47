import { queryOptions, useQuery, type QueryClient } from '@tanstack/react-query'
import { answered, api, arrived, ProblemError, type Schemas } from '../api/client'

export type Login = Schemas['Login']
export type Principal = NonNullable<Login['principal']>

/** Who uses this page, and how people log in. */
export const loginQuery = queryOptions({
  queryKey: ['login'],
  queryFn: ({ signal }) => answered(api.GET('/v1/login', { signal })),
  staleTime: 60_000,
})

/** Logs in with a token. */
export function logIn(token: string): Promise<Login> {
  return answered(api.POST('/v1/login', { body: { token } }))
}

/** Selects the tenant that the pages are about. */
export function selectTenant(tenant: string): Promise<Login> {
  return answered(api.PATCH('/v1/login', { body: { tenant } }))
}

export async function logOut(): Promise<void> {
  const { response } = await arrived(api.DELETE('/v1/login'))
  if (!response.ok) throw new ProblemError({ title: response.statusText, status: response.status })
}

/** Forgets all that was loaded, which was for another principal, and loads what is shown anew. */
export async function startOver(client: QueryClient, login?: Login): Promise<void> {
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'login' && queryKey[0] !== 'server' })
  if (login === undefined) await client.refetchQueries(loginQuery)
  else client.setQueryData(loginQuery.queryKey, login)
}

/** Whether an error means that no user is logged in, or that the login has ended. */
export function isLoggedOut(error: unknown): boolean {
  return error instanceof ProblemError && error.problem.status === 401
}

/** Whether a principal has a scope, or one that includes it. */
export function hasScope({ scopes }: Principal, scope: Principal['scopes'][number]): boolean {
  return (
    scopes.includes(scope) || scopes.includes('admin') || (scope === 'read' && scopes.includes('read:raw'))
  )
}

/** Where commands and other programs find the server. */
export function useServerAddress(): string {
  return useQuery({ ...loginQuery, enabled: false }).data?.public_url ?? location.origin
}

/** The tenant and scopes of a principal in words. */
export function rightsOf({ tenant, all_tenants, scopes }: Principal): string {
  return `${all_tenants ? 'all tenants' : `tenant ${tenant}`} · ${scopes.join(', ')}`
}
