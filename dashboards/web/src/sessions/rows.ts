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

/** A row of the list; null stands for the sessions between its beginning and its end that are not loaded. */
export type ListRow = Session | null

/**
 * The rows of the list: sessions on top come first, in their latest state; each session is there once. `last` has the
 * pages of the list's end, the last session first: a gap parts them from those of its beginning until the two meet.
 */
export function rowsOf(
  top: readonly Session[],
  pages: readonly (readonly Session[])[],
  last: readonly (readonly Session[])[] = [],
): ListRow[] {
  const rows = new Map(top.map((session) => [session.id, session]))
  for (const page of pages)
    for (const session of page) if (!rows.has(session.id)) rows.set(session.id, session)
  const end = last.flat().reverse()
  const after = new Map(end.flatMap((session) => (rows.has(session.id) ? [] : [[session.id, session]])))
  const first = [...rows.values()]
  return end.length === 0 || meet(pages.flat(), end)
    ? [...first, ...after.values()]
    : [...first, null, ...after.values()]
}

/** Whether the beginning of a list and its end have a session in common where they come together. */
function meet(beginning: readonly Session[], end: readonly Session[]): boolean {
  const has = (sessions: readonly Session[], one: Session | undefined) =>
    one !== undefined && sessions.some(({ id }) => id === one.id)
  return has(end, beginning.at(-1)) || has(beginning, end[0])
}

/** Whether a session that was open is so no longer. */
export function anyEnded(before: readonly Session[], now: readonly Session[]): boolean {
  const ids = new Set(now.map(({ id }) => id))
  return before.some(({ id }) => !ids.has(id))
}
