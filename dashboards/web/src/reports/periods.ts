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
  // An hour that comes twice begins at the pass that contains its time.
  const minutes = Number(shown.slice(14, 16))
  if (granularity === 'hour') return at - minutes * 60_000 - (at % 60_000)
  if (granularity === '15m') return at - (minutes % 15) * 60_000 - (at % 60_000)
  const day = shown.slice(0, 10)
  if (granularity === 'week')
    return atWallClock(addDays(day, -((new Date(day).getUTCDay() + 6) % 7)), zone).getTime()
  return atWallClock(granularity === 'day' ? day : `${day.slice(0, 7)}-01`, zone).getTime()
}

/** When the period ends that begins at a time: when the next one begins. */
export function next(at: number, granularity: Granularity, zone: string): number {
  if (granularity === 'hour') return at + 3_600_000
  if (granularity === '15m') return at + 900_000
  const date = wallClock(new Date(at), zone)
  const day = date.slice(0, 10)
  if (granularity === 'month') {
    const then = Date.UTC(Number(date.slice(0, 4)), Number(date.slice(5, 7)), 1)
    return atWallClock(new Date(then).toISOString().slice(0, 10), zone).getTime()
  }
  return atWallClock(addDays(day, granularity === 'week' ? 7 : 1), zone).getTime()
}

/** 2026-03-31 and a day as 2026-04-01. */
function addDays(date: string, days: number): string {
  return new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10)
}

/** A period's name: 28 Mar, 14:00; 28 Mar, also of the week that begins then; Mar 2026. */
export function periodName(start: number, granularity: Granularity, zone: string): string {
  const shown = wallClock(new Date(start), zone)
  if (granularity === 'month') return monthOf(shown)
  return granularity === 'day' || granularity === 'week'
    ? dayOf(shown)
    : `${dayOf(shown)}, ${shown.slice(11, 16)}`
}

/** How long periods are, in words. */
export function periodWord(granularity: Granularity): string {
  return granularity === '15m' ? '15 minutes' : granularity
}
