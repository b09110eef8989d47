import { compareAddress } from '../compare/queries'
import type { Entry } from './queries'

/**
 * The page of what an action was done to; null where there is none. The server joins the names that a
 * request has with "/", which a session id may hold too: no page is named where they cannot be told apart.
 */
export function addressOf({ kind, object, outcome, action }: Entry): string | null {
  if (kind !== 'session' || object === '' || outcome !== 'done' || action === 'session.delete') return null
  if (action === 'session.compare') {
    const [a, b, more] = object.split('/')
    return a && b && more === undefined ? compareAddress(a, b) : null
  }
  // It may be a session and a position in it.
  if (action === 'session.frames' && object.includes('/')) return null
  return `/sessions/${encodeURIComponent(object)}`
}
