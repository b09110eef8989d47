import { useMediaQuery } from '@mantine/hooks'
import { type RefObject, useEffect, useState } from 'react'

/** Where the page is this low, or zoomed so far, the header is folded from the start. */
const lowQuery = '(max-height: 600px)'
/** How long after a key, the wheel or a touch a scroll is the reader's and not the player's, ms. */
const reaction = 400
/** The keys that scroll a pane; others move the player, which the panes follow. */
const scrollKeys = new Set(['PageDown', 'PageUp', 'ArrowDown', 'ArrowUp'])
/** From how far on a pane is scrolled, px. */
const scrolledFrom = 48
/** How much more than its height a pane must hold: it can still be scrolled once the header is folded, px. */
const leastMore = 240

/**
 * Whether the header of a session is folded to a line: by its button; once the reader scrolls a pane down, until the
 * pane is at its top again; on low pages from the start.
 */
export function useFolding(page: RefObject<HTMLElement | null>): [boolean, (folded: boolean) => void] {
  const low = useMediaQuery(lowQuery, window.matchMedia(lowQuery).matches)
  const [chosen, setChosen] = useState<boolean | null>(null)
  useEffect(() => {
    const element = page.current
    if (element === null) return undefined
    let input = -Infinity
    let path: EventTarget[] = []
    const acted = (event: Event) => {
      if (event instanceof KeyboardEvent && !scrollKeys.has(event.key)) return
      input = performance.now()
      path = event.composedPath()
    }
    const scrolled = ({ target }: Event) => {
      if (!(target instanceof HTMLElement) || performance.now() - input > reaction) return
      // The other panes scroll too when the header changes the room that they have.
      if (!path.includes(target)) return
      // A pane, not what scrolls in one of its messages.
      if (target.clientHeight < element.clientHeight / 4) return
      if (target.scrollTop > scrolledFrom) {
        if (target.scrollHeight - target.clientHeight > leastMore) setChosen(true)
      } else if (target.scrollTop <= 0) setChosen(null)
    }
    const inputs = ['wheel', 'touchmove', 'keydown'] as const
    for (const name of inputs) element.addEventListener(name, acted, { capture: true, passive: true })
    element.addEventListener('scroll', scrolled, { capture: true, passive: true })
    return () => {
      for (const name of inputs) element.removeEventListener(name, acted, { capture: true })
      element.removeEventListener('scroll', scrolled, { capture: true })
    }
  }, [page])
  return [chosen ?? low, setChosen]
}
