import { queryOptions } from '@tanstack/react-query'
import { answered, api, type Schemas } from '../api/client'

export type Token = Schemas['Token']
export type Scope = Schemas['TokenScope']
/** A token with its text, which is shown once. */
export type NewToken = Token & { token: string }

export const tokensQuery = queryOptions({
  queryKey: ['access', 'tokens'],
  queryFn: async ({ signal }) => (await answered(api.GET('/v1/tokens', { signal }))).items,
})

/** What a new token is to be. */
export interface Wish {
  name: string
  tenant?: string
  scopes: Scope[]
  expires_at: string | null
}

export function createToken(wish: Wish): Promise<NewToken> {
  return answered(api.POST('/v1/tokens', { body: wish }))
}

export function revokeToken(id: string): Promise<Token> {
  return answered(api.DELETE('/v1/tokens/{id}', { params: { path: { id } } }))
}

export const scopes: { scope: Scope; allows: string }[] = [
  { scope: 'record', allows: 'send recordings' },
  { scope: 'read', allows: 'lists, messages, reports, prices' },
  { scope: 'read:raw', allows: 'frames as recorded, replay, tapes, emulation; and read' },
  { scope: 'note', allows: 'writing notes on sessions, with read' },
  { scope: 'bill', allows: 'bills and reconciliation' },
  { scope: 'admin', allows: 'tokens, deletion, dead letters; and all others' },
]

export type TokenState = 'valid' | 'expired' | 'revoked'

export function stateOf({ revoked_at, expires_at }: Token, now = Date.now()): TokenState {
  if (revoked_at !== null) return 'revoked'
  return expires_at !== null && Date.parse(expires_at) <= now ? 'expired' : 'valid'
}

export type Tenant = Schemas['Tenant']

export const tenantsQuery = queryOptions({
  queryKey: ['access', 'tenants'],
  queryFn: async ({ signal }) => (await answered(api.GET('/v1/tenants', { signal }))).items,
})

/** What is known of a tenant beside its tokens, as a list. */
export function settingsOf({ retention, bills, prices }: Tenant): string {
  return [retention && 'retention', bills && 'bills', prices && 'prices'].filter(Boolean).join(', ')
}
