import { type ReactNode, useCallback, useEffect, useMemo, useState } from 'react'
import { FindContext } from './context'
import type { Hit } from './hits'

/** Holds what is searched for in a session; Ctrl and F open the field, and in it the browser's own. */
export function FindProvider({ children }: { children: ReactNode }) {
  const [query, setQuery] = useState<string | null>(null)
  const [hit, choose] = useState<Hit | null>(null)
  const open = useCallback(() => {
    setQuery((now) => now ?? '')
    // A field that is open already takes the focus again.
    document.querySelector<HTMLInputElement>('[data-find] input')?.select()
  }, [])
  const close = useCallback(() => {
    setQuery(null)
    choose(null)
  }, [])
  const search = useCallback((next: string) => {
    setQuery(next)
    choose(null)
  }, [])
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'f' || !(event.ctrlKey || event.metaKey)) return
      if (event.altKey || event.shiftKey) return
      if (event.target instanceof Element && event.target.closest('[data-find], [role="dialog"]') !== null)
        return
      event.preventDefault()
      open()
    }
    document.addEventListener('keydown', pressed)
    return () => document.removeEventListener('keydown', pressed)
  }, [open])
  const find = useMemo(
    () => ({ query, hit, open, close, search, choose }),
    [query, hit, open, close, search, choose],
  )
  return <FindContext value={find}>{children}</FindContext>
}
