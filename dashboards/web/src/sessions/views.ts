import { formatFilter, parseFilter, type Filter } from '../filters/filter'
import { calendarRanges } from '../filters/range'
import { viewerZone } from '../format/zone'

/** A filter of the list with its order and columns, by a name. */
export interface View {
  name: string
  /** The query of its address, without the range if that is named. */
  search: string
  /** A range by the calendar, which is another one tomorrow: Today. */
  range?: string
  /** The page that it is of; the list of sessions where none is named. */
  page?: string
}

/** The views that every browser has. `tag` is the name of a tag that usage is grouped by, if there is one. */
export function builtIn(tags: readonly string[] = []): readonly View[] {
  const failed = 'status=lost&status=error'
  return [
    { name: 'Running and quiet', search: 'status=running&status=quiet' },
    { name: 'Failed today', search: failed, range: 'Today' },
    { name: 'Failed yesterday', search: failed, range: 'Yesterday' },
    { name: 'Costliest this month', search: 'sort=-cost', range: 'This month' },
    ...offered(tags).map((tag) => ({
      name: `Usage by ${tag} this month`,
      page: '/usage',
      search: `group_by=${encodeURIComponent(`tag:${tag}`)}`,
      range: 'This month',
    })),
  ]
}

/** Tags that commands set by themselves. */
const automatic: ReadonlySet<string> = new Set([
  ...['agent', 'project', 'branch', 'repository', 'commit'], // sync and hooks
  ...['service', 'demo'], // OTLP, the demo sessions
])

/** The tags, the most frequent first, of which views are offered: those that people gave, or else one that commands set. */
function offered(tags: readonly string[]): readonly string[] {
  const given = tags.filter((tag) => !automatic.has(tag))
  return given.length > 0 ? given.slice(0, 3) : tags.slice(0, 1)
}

/** The address of a view, with its range as it is now. */
export function viewAddress({ search, range, page = '/' }: View, now = Date.now()): string {
  const named = calendarRanges(viewerZone, now).find(({ name }) => name === range)
  if (page !== '/') {
    const params = new URLSearchParams(search)
    if (named !== undefined) {
      params.set('from', named.from)
      params.set('to', named.to)
    }
    return `${page}?${params.toString()}`
  }
  const filter = parseFilter(search)
  return `/${formatFilter(named === undefined ? filter : { ...filter, from: named.from, to: named.to })}`
}

/** A view of a filter, with the columns that are shown. */
export function viewOf(name: string, filter: Filter, columns: readonly string[], now = Date.now()): View {
  const named = calendarRanges(viewerZone, now).find(
    ({ from, to }) => from === filter.from && to === filter.to,
  )
  const kept = named === undefined ? filter : { ...filter, from: '', to: '' }
  return {
    name,
    search: formatFilter({ ...kept, columns }),
    ...(named !== undefined && { range: named.name }),
  }
}

/** Whether a list with a filter and columns is that of a view. A view without columns fits any. */
export function showsView(view: View, filter: Filter, columns: readonly string[], now = Date.now()): boolean {
  if (view.page !== undefined) return false
  const own = parseFilter(view.search).columns
  return (
    viewAddress(view, now) === `/${formatFilter({ ...filter, columns: own.length === 0 ? [] : columns })}`
  )
}
