import { queryOptions } from '@tanstack/react-query'
import { answered, api, type Schemas } from '../../api/client'

export type Share = Schemas['Share']
/** A link with its address, which is shown once. */
export type NewShare = Share & { url: string }

/** The links to a session. */
export const sharesQuery = (session: string) =>
  queryOptions({
    queryKey: ['shares', session],
    queryFn: async ({ signal }) =>
      (await answered(api.GET('/v1/shares', { params: { query: { session } }, signal }))).items,
  })

/** What a new link is to open. */
export interface Wish {
  session: string
  from?: string
  to?: string
  expires_at: string
  note: string
}

export function createShare(wish: Wish): Promise<NewShare> {
  return answered(api.POST('/v1/shares', { body: wish }))
}

export function revokeShare(id: string): Promise<Share> {
  return answered(api.DELETE('/v1/shares/{id}', { params: { path: { id } } }))
}

/** Whether a link still opens something. */
export function isOpen({ revoked_at, expires_at }: Share, now = Date.now()): boolean {
  return revoked_at === null && (expires_at === null || Date.parse(expires_at) > now)
}
