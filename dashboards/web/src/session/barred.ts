import { useQuery } from '@tanstack/react-query'
import { isRefused, isShared, ProblemError, type Schemas } from '../api/client'
import { shortTime } from '../format/moment'
import { hasScope, loginQuery } from '../login/queries'
import { isGone } from './queries'

/** Why a session cannot be played; null where it can. `error` is that of its last request. */
export function useBarred(session: Schemas['SessionDetail'], error: Error | null): string | null {
  const principal = useQuery({ ...loginQuery, enabled: false }).data?.principal ?? null
  if (isGone(error) && !isShared()) return 'The session has been deleted: nothing can be played.'
  if (error instanceof ProblemError && isRefused(error))
    return `${error.problem.title}: nothing can be played.`
  if (session.frames_expired_at !== undefined)
    return `The frames expired on ${shortTime(session.frames_expired_at)}: nothing can be played.`
  if (principal !== null && !isShared() && !hasScope(principal, 'read:raw'))
    return 'Your login does not have the scope read:raw: nothing can be played.'
  return null
}
