import type { Schemas } from '../api/client'

export type Session = Schemas['SessionPage']['items'][number]

/** For how long a session whose recorder was lost stays on top, ms. */
const lostFor = 3_600_000

/**
 * The sessions on top of the list: the quiet ones, the running ones and those that were lost within the hour. They are
 * asked for at different times: of a session that is among two of them the later state counts.
 */
export function topOf(
  quiet: readonly Session[],
  running: readonly Session[],
  lost: readonly Session[],
): Session[] {
  const lately = lost.filter(({ silent_ms }) => silent_ms !== null && silent_ms < lostFor)
  const latest = new Map<string, Session>()
  for (const session of [...quiet, ...running, ...lately]) {
    const known = latest.get(session.id)
    if (known === undefined || session.last_at > known.last_at) latest.set(session.id, session)
  }
  const rank = (status: Session['status']) => (status === 'quiet' ? 0 : status === 'running' ? 1 : 2)
  return [...latest.values()].sort((a, b) => rank(a.status) - rank(b.status))
}

/** The rows of the list: sessions on top come first, in their latest state; each session is there once. */
export function rowsOf(top: readonly Session[], pages: readonly (readonly Session[])[]): Session[] {
  const rows = new Map(top.map((session) => [session.id, session]))
  for (const page of pages)
    for (const session of page) if (!rows.has(session.id)) rows.set(session.id, session)
  return [...rows.values()]
}

/** Whether a session that was open is so no longer. */
export function anyEnded(before: readonly Session[], now: readonly Session[]): boolean {
  const ids = new Set(now.map(({ id }) => id))
  return before.some(({ id }) => !ids.has(id))
}
