import { createContext, useContext, useLayoutEffect, useSyncExternalStore } from 'react'
import type { Player, PlayerState } from './player'

export const PlayerContext = createContext<Player | null>(null)

/** The player of the session that the page shows. */
export function usePlayer(): Player {
  const player = useContext(PlayerContext)
  if (player === null) throw new Error('no player around this component')
  return player
}

/**
 * A part of the player's state. A component is drawn again when its part changes, and not for every
 * frame: what is selected is compared with Object.is.
 */
export function usePlayerState<T>(select: (state: PlayerState) => T): T {
  const player = usePlayer()
  return useSyncExternalStore(player.subscribe, () => select(player.state()))
}

/**
 * Calls `show` with the player's state, once and after every change. What only moves is written into the page
 * this way: it changes with every picture, and no component need be drawn for it. `show` is to be a stable one.
 */
export function useShown(show: (state: PlayerState) => void): void {
  const player = usePlayer()
  useLayoutEffect(() => {
    const changed = () => show(player.state())
    changed()
    return player.subscribe(changed)
  }, [player, show])
}
