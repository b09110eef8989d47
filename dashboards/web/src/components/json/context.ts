import { createContext, useContext } from 'react'

/** What is searched for in a tree. */
export interface TreeSearch {
  query: string
  /** The keys of paths that are open for it. */
  open: ReadonlySet<string>
  /** The key of the match that was gone to. */
  current: string | null
}

export const TreeContext = createContext<TreeSearch>({ query: '', open: new Set(), current: null })

export function useTreeSearch(): TreeSearch {
  return useContext(TreeContext)
}
