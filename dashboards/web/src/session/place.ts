/** The views of a session, as the address names them. */
export const views = ['conversation', 'timeline', 'state', 'thoughts', 'frames', 'totals', 'notes'] as const
export type View = (typeof views)[number]

/** The scroll position of the conversation beside another view. */
export const wideQuery = '(min-width: 68em)'

/** What the address of a session holds besides its id: the view, the selected span, and the moment. */
export interface Place {
  /** Null for the one that is shown first. */
  tab: View | null
  span: string | null
  /** As momentOf reads it; null for the end, or the present of a session that runs. */
  t: string | null
}

export function placeOf(search: string): Place {
  const params = new URLSearchParams(search)
  const tab = params.get('tab')
  return {
    tab: views.find((view) => view === tab) ?? null,
    span: params.get('span') || null,
    t: params.get('t') || null,
  }
}

/** An address's search with another place in it, "" for none. What is not of the place stays. */
export function withPlace(search: string, change: Partial<Place>): string {
  const params = new URLSearchParams(search)
  for (const [name, value] of Object.entries(change) as [keyof Place, string | null][])
    if (value === null) params.delete(name)
    else params.set(name, value)
  const text = params.toString()
  return text === '' ? '' : `?${text}`
}

/** The moment at an offset, as the address has it: seconds, to the nanosecond. */
export function momentText(offset: number): string {
  return String(Math.round(offset * 1e6) / 1e9)
}
