import { useEffect } from 'react'
import type { Hit } from './hits'
import { finderOf } from './hits'
import { rangesIn } from './ranges'

/** Of how much text on the page hits are marked, UTF-16 units. */
const most = 400_000
/** When it is looked whether a hit that was gone to is in sight: what is folded there opens, and rows are measured. */
const looks = [0, 120, 300, 600]

/**
 * Marks what is found in what is drawn of the session, and scrolls to a hit that was gone to. The marks are the
 * browser's highlights, which change nothing of the page.
 */
export function useHighlights(query: string, hit: Hit | null): void {
  useEffect(() => {
    const finder = finderOf(query)
    const root = document.querySelector('[data-findable]')
    if (finder === null || root === null || typeof CSS === 'undefined' || !('highlights' in CSS))
      return undefined
    let pending = 0
    const mark = () => {
      pending = 0
      const parts = root.querySelectorAll('[role="log"], [role="treegrid"], aside')
      const found = [...parts].flatMap((part) => rangesIn(part, finder, most))
      const now = hit?.message == null ? undefined : rangeOf(root, hit, finder)
      CSS.highlights.set('found', new Highlight(...found))
      if (now === undefined) CSS.highlights.delete('found-now')
      else CSS.highlights.set('found-now', Object.assign(new Highlight(now), { priority: 1 }))
      return now
    }
    const changed = () => {
      if (pending === 0) pending = requestAnimationFrame(mark)
    }
    const observer = new MutationObserver(changed)
    observer.observe(root, { childList: true, characterData: true, subtree: true })
    changed()
    const timers = looks.map((after) =>
      setTimeout(() => {
        const now = mark()
        if (now !== undefined) showRange(now)
      }, after),
    )
    return () => {
      observer.disconnect()
      timers.forEach(clearTimeout)
      cancelAnimationFrame(pending)
      CSS.highlights.delete('found')
      CSS.highlights.delete('found-now')
    }
  }, [query, hit])
}

/** Where a hit is drawn. Markdown draws fewer characters than were written, so that it may be one before. */
function rangeOf(root: Element, { message, nth }: Hit, finder: RegExp): Range | undefined {
  const drawn = root.querySelector(`[data-message="${CSS.escape(message?.id ?? '')}"]`)
  if (drawn === null) return undefined
  const ranges = rangesIn(drawn, finder, most)
  return ranges[Math.min(nth, ranges.length - 1)]
}

/** Scrolls to what is out of sight. */
function showRange(range: Range) {
  const box = range.getBoundingClientRect()
  const parent = range.startContainer.parentElement
  const view = parent?.closest('[role="log"]')?.getBoundingClientRect()
  if (view === undefined || (box.top >= view.top && box.bottom <= view.bottom)) return
  parent?.scrollIntoView({ block: 'center' })
}
