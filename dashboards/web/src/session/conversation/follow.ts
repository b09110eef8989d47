import { type RefObject, useCallback, useEffect, useRef, useState } from 'react'

/** So near to the end counts as at it, pixels. */
const near = 48

/** For how long a scroll may be the reader's after a wheel or a key, ms. */
const intent = 1000

/**
 * Keeps a scrolled element at the end of what grows in it, until the reader scrolls up; reaching the end
 * again, or `follow`, takes it up anew; `leave` is for going to another place in it. `content` is what grows.
 */
export function useFollow(
  scroller: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
): { following: boolean; follow: () => void; leave: () => void } {
  const [following, setFollowing] = useState(true)
  const wanted = useRef(true)
  const set = useCallback((value: boolean) => {
    wanted.current = value
    setFollowing(value)
  }, [])

  useEffect(() => {
    const [view, inside] = [scroller.current, content.current]
    if (view === null || inside === null) return
    let before = view.scrollTop
    let acted = -Infinity
    const act = () => (acted = performance.now())
    const scrolled = () => {
      const top = view.scrollTop
      const left = view.scrollHeight - view.clientHeight - top
      if (left <= near) set(true)
      // Rows that turn out smaller than thought move it up as well, without the user.
      else if (top < before && performance.now() - acted < intent) set(false)
      before = top
    }
    const grew = new ResizeObserver(() => {
      if (wanted.current) view.scrollTop = view.scrollHeight
    })
    for (const event of ['wheel', 'touchmove', 'keydown', 'pointerdown', 'pointermove'])
      view.addEventListener(event, act, { passive: true })
    view.addEventListener('scroll', scrolled, { passive: true })
    grew.observe(inside)
    grew.observe(view)
    return () => {
      for (const event of ['wheel', 'touchmove', 'keydown', 'pointerdown', 'pointermove'])
        view.removeEventListener(event, act)
      view.removeEventListener('scroll', scrolled)
      grew.disconnect()
    }
  }, [scroller, content, set])

  const follow = () => {
    set(true)
    scroller.current?.scrollTo({ top: scroller.current.scrollHeight })
  }
  const leave = useCallback(() => {
    wanted.current = false
  }, [])
  return { following, follow, leave }
}
