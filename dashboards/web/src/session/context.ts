import { createContext, useContext } from 'react'

/** The id of the session that is shown. */
export const SessionIdContext = createContext('')

export function useSessionId(): string {
  return useContext(SessionIdContext)
}

/** Goes to a moment, ms from the start, where that is not left to the session's own player and the address of its page. */
export const GoToContext = createContext<((ms: number) => void) | null>(null)
