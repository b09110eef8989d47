import type { View } from './views'

const key = 'tapedeck.views'

/** The views that this browser keeps, by name. */
export function keptViews(): readonly View[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? '[]')
    return Array.isArray(kept) ? kept.filter(isView) : []
  } catch {
    return [] // storage is disabled, or holds what no view is
  }
}

/** Keeps views in place of those before; false where the browser does not. */
export function keepViews(views: readonly View[]): boolean {
  try {
    localStorage.setItem(key, JSON.stringify(views))
    return true
  } catch {
    return false
  }
}

function isView(value: unknown): value is View {
  if (typeof value !== 'object' || value === null) return false
  const { name, search, range } = value as Record<string, unknown>
  return (
    typeof name === 'string' &&
    name !== '' &&
    typeof search === 'string' &&
    (range === undefined || typeof range === 'string')
  )
}
