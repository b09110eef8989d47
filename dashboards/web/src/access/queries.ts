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
  { scope: 'bill', allows: 'bills and reconciliation' },
  { scope: 'admin', allows: 'tokens, deletion, dead letters; and all others' },
]

export type TokenState = 'valid' | 'expired' | 'revoked'

export function stateOf({ revoked_at, expires_at }: Token, now = Date.now()): TokenState {
  if (revoked_at !== null) return 'revoked'
  return expires_at !== null && Date.parse(expires_at) <= now ? 'expired' : 'valid'
}

/** A tenant as its tokens show it. */
export interface Tenant {
  name: string
  valid: number
  lastUsed: string | null
}

/** The tenants that have tokens, by name. */
export function tenantsOf(tokens: readonly Token[], now = Date.now()): Tenant[] {
  const found = new Map<string, Tenant>()
  for (const token of tokens) {
    if (token.tenant === '*') continue
    const tenant = found.get(token.tenant) ?? { name: token.tenant, valid: 0, lastUsed: null }
    if (stateOf(token, now) === 'valid') tenant.valid++
    if (token.last_used !== null && (tenant.lastUsed === null || token.last_used > tenant.lastUsed))
      tenant.lastUsed = token.last_used
    found.set(token.tenant, tenant)
  }
  return [...found.values()].sort((a, b) => a.name.localeCompare(b.name))
}
