import { useSyncExternalStore } from 'react'
import { navigate, useSearch as useBrowserSearch } from 'wouter/use-browser-location'

/**
 * What the page keeps in the search part of its address. A document that a script made (about:srcdoc, as player.js makes
 * it) has no address that can change, so it is kept in memory there.
 */
export const hasAddress = location.protocol !== 'about:'

let kept = ''
const listeners = new Set<() => void>()

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export function search(): string {
  return hasAddress ? location.search : kept
}

export function goSearch(next: string, replace: boolean): void {
  if (hasAddress) {
    navigate(location.pathname + next + location.hash, { replace })
    return
  }
  kept = next
  for (const listener of listeners) listener()
}

function useKept(): string {
  return useSyncExternalStore(subscribe, search)
}

export const useSearch = hasAddress ? useBrowserSearch : useKept
