import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { usePlayer } from '../player/context'
import { rowAt, startsOf } from './nowrow'
import type { Row } from './rows'

/** For how long a scroll may be the reader's after a wheel or a key, ms. */
const intent = 1000
/** Where a line is put that is scrolled to: so far down in what is seen of the lines. */
const place = 0.7

/** Below the axis, which stays at the top, lines of one height lie in the scroller. */
interface Geometry {
  row: number
  axis: number
}

/**
 * Keeps the line in sight that the player's moment is at, until the reader scrolls it out of sight; `follow` or
 * scrolling back takes it up again. `still` keeps the lines where they are while `act` moves the moment, for a
 * reader who points at one of them; `show` brings a line into sight.
 */
export function useRowFollow(
  scroller: RefObject<HTMLElement | null>,
  rows: readonly Row[],
  { row, axis }: Geometry,
): {
  following: boolean
  follow: () => void
  still: (act: () => void) => void
  show: (index: number) => void
} {
  const player = usePlayer()
  const starts = useMemo(() => startsOf(rows), [rows])
  const [following, setFollowing] = useState(true)
  const wanted = useRef(true)
  const control = useRef<Control>(null)

  useEffect(() => {
    const view = scroller.current
    if (view === null) return undefined
    const set = (value: boolean) => {
      wanted.current = value
      setFollowing(value)
    }
    const now = () => rowAt(rows, starts, player.state().offset)
    const inSight = (index: number) => {
      const top = index * row - view.scrollTop
      return index < 0 || (top >= 0 && top + row <= view.clientHeight - axis)
    }
    const show = (index: number) => {
      if (inSight(index)) return
      view.scrollTop = Math.max(0, index * row - Math.max(view.clientHeight - axis - row, 0) * place)
    }
    control.current = { set, show, now, inSight }

    let shown = -1
    const moved = () => {
      const index = now()
      if (index === shown) return
      shown = index
      if (wanted.current) show(index)
      else if (inSight(index)) set(true)
    }
    let acted = -Infinity
    const act = () => (acted = performance.now())
    const scrolled = () => {
      if (inSight(now())) set(true)
      else if (performance.now() - acted < intent) set(false)
    }
    const resized = new ResizeObserver(() => {
      if (wanted.current) show(now())
    })
    for (const event of gestures) view.addEventListener(event, act, { passive: true })
    view.addEventListener('scroll', scrolled, { passive: true })
    resized.observe(view)
    const unsubscribe = player.subscribe(moved)
    moved()
    return () => {
      for (const event of gestures) view.removeEventListener(event, act)
      view.removeEventListener('scroll', scrolled)
      resized.disconnect()
      unsubscribe()
    }
  }, [scroller, player, rows, starts, row, axis])

  const follow = useCallback(() => {
    control.current?.set(true)
    control.current?.show(control.current.now())
  }, [])
  const still = useCallback((act: () => void) => {
    wanted.current = false
    act()
    if (control.current !== null) control.current.set(control.current.inSight(control.current.now()))
  }, [])
  const show = useCallback((index: number) => control.current?.show(index), [])
  return { following, follow, still, show }
}

/** What a reader scrolls with. */
const gestures = ['wheel', 'touchmove', 'keydown', 'pointerdown', 'pointermove']

/** Of the lines that are there now. */
interface Control {
  set: (following: boolean) => void
  show: (index: number) => void
  now: () => number
  inSight: (index: number) => boolean
}
