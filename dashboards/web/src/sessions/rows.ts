import type { Schemas } from '../api/client'

export type Session = Schemas['SessionPage']['items'][number]

/**
 * The rows of the list: sessions that run come first, in their latest state; each session
 * is there once.
 */
export function rowsOf(running: readonly Session[], pages: readonly (readonly Session[])[]): Session[] {
  const rows = new Map(running.map((session) => [session.id, session]))
  for (const page of pages)
    for (const session of page) if (!rows.has(session.id)) rows.set(session.id, session)
  return [...rows.values()]
}

/** Whether a session that ran does so no longer. */
export function anyEnded(before: readonly Session[], now: readonly Session[]): boolean {
  const ids = new Set(now.map(({ id }) => id))
  return before.some(({ id }) => !ids.has(id))
}
