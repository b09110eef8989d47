import { createContext, useContext } from 'react'
import type { Hit } from './hits'

/** What is searched for on the page of a session. */
export interface Find {
  /** Null while the field is closed. */
  query: string | null
  /** The hit that was gone to last. */
  hit: Hit | null
  open: () => void
  close: () => void
  /** Searches for something else. */
  search: (query: string) => void
  choose: (hit: Hit | null) => void
}

const nothing = () => undefined

export const FindContext = createContext<Find>({
  query: null,
  hit: null,
  open: nothing,
  close: nothing,
  search: nothing,
  choose: nothing,
})

export function useFind(): Find {
  return useContext(FindContext)
}

/** The text that is searched for, if a hit is in a folded message, which is then shown open; else "". */
export function useRevealed(message: string): string {
  const { query, hit } = useFind()
  return hit?.message?.id === message ? (query ?? '') : ''
}
