/** The scroll position of a list, kept with its entry in the browser's history: Back comes to it, a link does not. */
const key = 'listTop'

/** How far the list of the present history entry was scrolled, px; negative from its end. */
export function keptPlace(): number {
  const state: unknown = window.history.state
  const top = typeof state === 'object' && state !== null && key in state ? state[key] : 0
  return typeof top === 'number' && Number.isFinite(top) ? top : 0
}

/** Keeps how far the list is scrolled, px, negative from its end, with the present history entry. */
export function keepPlace(top: number): void {
  const state: unknown = window.history.state
  window.history.replaceState({ ...(typeof state === 'object' ? state : null), [key]: top }, '')
}
