import { createContext, useContext } from 'react'

/** The id of the session that is shown. */
export const SessionIdContext = createContext('')

export function useSessionId(): string {
  return useContext(SessionIdContext)
}
