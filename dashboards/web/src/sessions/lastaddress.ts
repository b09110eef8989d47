let last = '/'

/** Keeps the address of the list as it is shown, with its filter. */
export function keepListAddress(search: string): void {
  last = search === '' ? '/' : `/?${search.replace(/^\?/, '')}`
}

/** Where the list was left, since the page was loaded. */
export function listAddress(): string {
  return last
}
