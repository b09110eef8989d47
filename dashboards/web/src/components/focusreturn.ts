import { useEffect, useState } from 'react'

/**
 * Gives the focus back to what had it before a dialog that is there only while it is open: without that it is lost.
 */
export function useFocusReturn(): void {
  // While the dialog is drawn for the first time, before it takes the focus.
  const [from] = useState(() => document.activeElement)
  useEffect(
    () => () => {
      if (from instanceof HTMLElement) from.focus({ preventScroll: true }) // does nothing if it is gone
    },
    [from],
  )
}
