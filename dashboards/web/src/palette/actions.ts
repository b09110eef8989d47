import { useEffect } from 'react'

/** Something that can be done on the present page. */
export interface PageAction {
  name: string
  run: () => void
}

const registered = new Map<string, readonly PageAction[]>()

/** Offers actions in the palette for as long as a component is shown. `owner` names the component. */
export function usePageActions(owner: string, actions: readonly PageAction[]): void {
  useEffect(() => {
    registered.set(owner, actions)
    return () => void registered.delete(owner)
  }, [owner, actions])
}

/** The actions of the components that are shown. */
export function pageActions(): readonly PageAction[] {
  return [...registered.values()].flat()
}
