import { useEffect, useRef, type RefObject } from 'react'
import type { ListRows } from './bothends'
import { keepPlace, keptPlace } from './place'

/** The height of a row, px. */
export const rowHeight = { wide: 40, narrow: 84 }

/**
 * Scrolls to where the list stood when its history entry was left, once rows up to there are loaded, and keeps
 * where it stands: beyond the gap between its two ends, from its end (`beyond`).
 */
export function useKeptPlace(
  scroller: RefObject<HTMLDivElement | null>,
  { rows, gap, whole, beginning, end, wantEnd }: ListRows,
  height: number,
  beyond: boolean,
) {
  const target = useRef<number | null>(null) // px, from the end if it is negative; 0 once it was reached
  useEffect(() => {
    const element = scroller.current
    target.current ??= keptPlace()
    const to = target.current
    if (to === 0 || element === null || rows.length === 0) return
    const up = to < 0
    if (up && gap < 0 && !whole) {
      wantEnd()
      return
    }
    const there = (up && gap >= 0 ? rows.length - gap - 1 : rows.length) * height
    const missing = there < (up ? -to : to + element.clientHeight)
    if (missing && !whole && there < farthest) {
      ;(up ? end : beginning).more?.()
      return
    }
    element.scrollTo({ top: up ? element.scrollHeight + to : to })
    target.current = 0
  }, [scroller, rows, gap, whole, beginning, end, wantEnd, height])
  const fromEnd = useRef(beyond)
  useEffect(() => {
    fromEnd.current = beyond
  }, [beyond])
  useEffect(() => {
    const element = scroller.current
    if (element === null) return undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    const keep = () => {
      clearTimeout(timer)
      keepPlace(fromEnd.current ? element.scrollTop - element.scrollHeight : element.scrollTop)
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
