import { useEffect } from 'react'

/** Names the page in the browser's tab and history. */
export function useTitle(name: string): void {
  useEffect(() => {
    document.title = `${name} · tapedeck`
    return () => {
      document.title = 'tapedeck'
    }
  }, [name])
}
