import { useEffect, useSyncExternalStore } from 'react'

/** Something that can be done on the present page. */
export interface PageAction {
  name: string
  run: () => void
}

const registered = new Map<string, readonly PageAction[]>()
let all: readonly PageAction[] = []
const listeners = new Set<() => void>()

function set(owner: string, actions: readonly PageAction[]) {
  if (actions.length === 0) registered.delete(owner)
  else registered.set(owner, actions)
  all = [...registered.values()].flat()
  for (const listener of listeners) listener()
}

/** Offers actions in the palette for as long as a component is shown. `owner` names the component. */
export function useOfferedActions(owner: string, actions: readonly PageAction[]): void {
  useEffect(() => {
    set(owner, actions)
    return () => set(owner, [])
  }, [owner, actions])
}

/** The actions of the components that are shown. */
export function usePageActions(): readonly PageAction[] {
  return useSyncExternalStore(listen, () => all)
}

function listen(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
