import { useCallback, useMemo, useState } from 'react'
import type { Session } from './rows'

/** The sessions that are chosen, by id, in the order in which they were chosen. */
export interface Choosing {
  chosen: ReadonlyMap<string, Session>
  /** Chooses a session, or no longer. */
  toggle: (session: Session) => void
  /** Chooses more sessions. */
  add: (sessions: readonly Session[]) => void
  clear: () => void
}

const none: ReadonlyMap<string, Session> = new Map()

/** Keeps which sessions are chosen, whether their rows are drawn or not. */
export function useChoosing(): Choosing {
  const [chosen, choose] = useState(none)
  const toggle = useCallback(
    (session: Session) =>
      choose((before) => {
        const next = new Map(before)
        if (!next.delete(session.id)) next.set(session.id, session)
        return next
      }),
    [],
  )
  const add = useCallback(
    (sessions: readonly Session[]) =>
      choose((before) => new Map([...before, ...sessions.map((session) => [session.id, session] as const)])),
    [],
  )
  const clear = useCallback(() => choose(none), [])
  return useMemo(() => ({ chosen, toggle, add, clear }), [chosen, toggle, add, clear])
}
