import { compareAddress } from '../compare/queries'
import type { Entry } from './queries'

/**
 * The address of the page of an entry's object; null for none. The server joins the parameters of a request
 * with "/". A session id may contain "/" as well: the address is null if the parts are ambiguous.
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
