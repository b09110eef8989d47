import { type RefObject, useEffect } from 'react'

/** Keeps ctrl and the wheel from zooming the page where they zoom an element's own content. */
export function useNoPageZoom(element: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const view = element.current
    // React's listeners are passive and cannot prevent it.
    const stop = (event: WheelEvent) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) event.preventDefault()
    }
    view?.addEventListener('wheel', stop, { passive: false })
    return () => view?.removeEventListener('wheel', stop)
  }, [element])
}
