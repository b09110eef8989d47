import { navigate } from 'wouter/use-browser-location'

export { useSearch } from 'wouter/use-browser-location'

/** Whether the page has an address, which can be kept as a link. */
export const hasAddress: boolean = true

/** The search part of the page's address. */
export function search(): string {
  return location.search
}

/** Goes to the same page with another search part of its address. */
export function goSearch(next: string, replace: boolean): void {
  navigate(location.pathname + next + location.hash, { replace })
}
