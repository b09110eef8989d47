import { createContext, useContext } from 'react'

/** What the reader has opened or closed, by key; it outlives rows that scroll out of sight. */
export interface Folds {
  opened: ReadonlyMap<string, boolean>
  set: (key: string, open: boolean) => void
}

export const FoldsContext = createContext<Folds>({ opened: new Map(), set: () => undefined })

/** Whether something is open, and how to change that. */
export function useFold(key: string, initially: boolean): [boolean, () => void] {
  const { opened, set } = useContext(FoldsContext)
  const open = opened.get(key) ?? initially
  return [open, () => set(key, !open)]
}
