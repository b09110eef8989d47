import { createContext, useContext, useState } from 'react'

/** What is searched for in the texts below, which open what they fold; "" for nothing. */
export const RevealContext = createContext('')

/** Whether all of a long text is shown, and what changes that: at first only of one in which something is searched. */
export function useUnfolded(): [boolean, () => void] {
  const revealed = useContext(RevealContext) !== ''
  const [chosen, choose] = useState<boolean | null>(null)
  const open = chosen ?? revealed
  return [open, () => choose(!open)]
}
