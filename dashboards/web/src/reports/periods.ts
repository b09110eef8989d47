import { dayOf, monthOf } from '../format/moment'
import { atWallClock, wallClock } from '../format/zone'
import type { Granularity } from './params'

/** A period of a report, as the API returns it. */
interface Period {
  period_start: string | null
}

/** At most so many periods are drawn. */
const most = 3000

/**
 * The starts of all periods, ms: from the range's first to its last, or of an open range from the first
 * to the last that there is something of. Those in which nothing happened are there, too. Days and
 * months begin when they do in the zone.
 */
export function periodStarts(
  rows: readonly Period[],
  { from, to }: { from: string | null; to: string | null },
  granularity: Granularity,
  zone: string,
): number[] {
  const known = rows.flatMap(({ period_start }) => (period_start === null ? [] : [Date.parse(period_start)]))
  if (known.length === 0) return []
  const first = from === null ? Math.min(...known) : startOf(Date.parse(from), granularity, zone)
  const last = Math.max(...known, to === null ? 0 : Date.parse(to) - 1)
  const starts = []
  for (let at = first; at <= last && starts.length < most; at = next(at, granularity, zone)) starts.push(at)
  return starts
}

/** When the period began that a time is in. */
function startOf(at: number, granularity: Granularity, zone: string): number {
  const shown = wallClock(new Date(at), zone)
  // An hour that comes twice is begun where its time stands in it.
  if (granularity === 'hour') return at - Number(shown.slice(14, 16)) * 60_000 - (at % 60_000)
  return atWallClock(granularity === 'day' ? shown.slice(0, 10) : `${shown.slice(0, 7)}-01`, zone).getTime()
}

function next(at: number, granularity: Granularity, zone: string): number {
  if (granularity === 'hour') return at + 3_600_000
  const date = wallClock(new Date(at), zone)
  const [year, month, day] = [date.slice(0, 4), date.slice(5, 7), date.slice(8, 10)].map(Number) as [
    number,
    number,
    number,
  ]
  const then = granularity === 'day' ? Date.UTC(year, month - 1, day + 1) : Date.UTC(year, month, 1)
  return atWallClock(new Date(then).toISOString().slice(0, 10), zone).getTime()
}

/** A period's name: 28 Mar, 14:00; 28 Mar; Mar 2026. */
export function periodName(start: number, granularity: Granularity, zone: string): string {
  const shown = wallClock(new Date(start), zone)
  if (granularity === 'month') return monthOf(shown)
  return granularity === 'day' ? dayOf(shown) : `${dayOf(shown)}, ${shown.slice(11, 16)}`
}
