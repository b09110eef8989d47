import { useEffect, useRef, type RefObject } from 'react'
import { keepPlace, keptPlace } from './place'

/** The height of a row, px. */
export const rowHeight = { wide: 40, narrow: 84 }

/**
 * Scrolls to where the list stood when its history entry was left, once rows up to there are loaded, and keeps
 * where it stands.
 */
export function useKeptPlace(
  scroller: RefObject<HTMLDivElement | null>,
  size: number,
  more: (() => void) | null,
  whole: boolean,
) {
  const target = useRef<number | null>(null) // px; 0 once it was reached
  useEffect(() => {
    const element = scroller.current
    target.current ??= keptPlace()
    if (target.current === 0 || element === null || size === 0) return
    if (size < target.current + element.clientHeight && !whole && size < farthest) {
      more?.()
      return
    }
    element.scrollTo({ top: target.current })
    target.current = 0
  }, [scroller, size, more, whole])
  useEffect(() => {
    const element = scroller.current
    if (element === null) return undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    const keep = () => {
      clearTimeout(timer)
      keepPlace(element.scrollTop)
    }
    const scrolled = () => {
      clearTimeout(timer)
      timer = setTimeout(keep, 150)
    }
    element.addEventListener('scroll', scrolled, { passive: true })
    element.addEventListener('click', keep) // before the link that was clicked leaves the history entry
    return () => {
      clearTimeout(timer)
      element.removeEventListener('scroll', scrolled)
      element.removeEventListener('click', keep)
    }
  }, [scroller])
}

/** How much of a list is loaded to come back to a place, px: 10,000 rows. */
const farthest = 10_000 * rowHeight.wide
