import { momentText, placeOf, withPlace } from '../place'
import { offsetOf } from './position'

/**
 * The moment that an address asks for with `?t=`: seconds from the session's start, or a frame's position.
 * Null where it asks for none, or for something else.
 */
export function momentOf(
  search: string,
  started: string,
): { offset: number; position: string | null } | null {
  const t = new URLSearchParams(search).get('t')
  if (t === null || t === '') return null
  const seconds = Number(t)
  if (Number.isFinite(seconds))
    return { offset: Math.round(Math.max(seconds, 0) * 1e9) / 1e6, position: null }
  const offset = offsetOf(t, started)
  return Number.isNaN(offset) ? null : { offset, position: t }
}

/**
 * The address of a session's page at a moment, to the nanosecond, with the view that it shows, to be handed on. What
 * follows its # is kept: it may be the secret of a shared link.
 */
export function addressOf(page: string, offset: number): string {
  const url = new URL(page)
  const { tab, span } = placeOf(url.search)
  url.search = withPlace('', { tab, span, t: momentText(offset) })
  return url.href
}
