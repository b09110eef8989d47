import { useCallback, useEffect } from 'react'
import { momentOf } from './player/address'
import { usePlayer } from './player/context'
import type { Player } from './player/player'
import { momentText, type Place, placeOf, withPlace } from './place'
import { goSearch, search as searchNow, useSearch } from './urlsearch'

/** How long the moment must not change before it is written into the address, ms. */
const rest = 300

export function usePlace(): Place {
  return placeOf(useSearch())
}

/**
 * Goes to another place on the page. `push` is for a step that the browser's Back is to undo: the moment that is
 * left is written into the entry that is left.
 */
export function useGo(): (change: Partial<Place>, how: 'push' | 'replace') => void {
  const player = usePlayer()
  return useCallback(
    (change, how) => {
      const search = withPlace(searchNow(), change)
      if (search === searchNow()) return
      if (how === 'push') stamp(player)
      goSearch(search, how === 'replace')
    },
    [player],
  )
}

/** The moment as the address has it: nothing for the end, and for the present of a session that runs. */
function momentIn(player: Player): string | null {
  const { offset, duration, live, running } = player.state()
  return live || (!running && offset >= duration) ? null : momentText(offset)
}

function stamp(player: Player) {
  const search = withPlace(searchNow(), { t: momentIn(player) })
  if (search !== searchNow()) goSearch(search, true)
}

/**
 * Writes the moment into the address once the user has moved it and it rests, and moves it when the browser goes
 * back or forward. While it plays the address is not changed.
 */
export function useMomentInAddress(started: string): void {
  const player = usePlayer()
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let { offset, live } = player.state()
    const write = () => stamp(player)
    const changed = () => {
      const now = player.state()
      if (now.playing && now.live === live) return
      if (now.offset === offset && now.live === live) return
      ;({ offset, live } = now)
      clearTimeout(timer)
      timer = setTimeout(write, rest)
    }
    const { pathname } = location
    const went = () => {
      clearTimeout(timer)
      if (location.pathname !== pathname) return
      const { running, duration } = player.state()
      const asked = momentOf(searchNow(), started)
      if (asked === null && running) player.goLive()
      else {
        player.pause()
        if (asked?.position != null) player.seekTo(asked.position)
        else player.seek(asked?.offset ?? duration)
      }
      ;({ offset, live } = player.state())
    }
    const unsubscribe = player.subscribe(changed)
    addEventListener('popstate', went)
    return () => {
      clearTimeout(timer)
      unsubscribe()
      removeEventListener('popstate', went)
    }
  }, [player, started])
}
