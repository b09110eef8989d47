import { dayOf, longTime } from '../format/moment'
import { atWallClock, wallClock } from '../format/zone'

/** Ranges of time that are chosen often. The ends are times as the API reads them. */
export const presets = [
  { from: 'now-1h', name: 'Last hour' },
  { from: 'now-24h', name: 'Last 24 hours' },
  { from: 'now-7d', name: 'Last 7 days' },
  { from: 'now-30d', name: 'Last 30 days' },
  { from: 'now-90d', name: 'Last 90 days' },
  { from: '', name: 'All time' },
] as const

export interface Range {
  /** "" for no limit, as with `to`. */
  from: string
  to: string
}

/** Days and months as clocks in a zone count them, with their ends as instants. */
export function calendarRanges(zone: string, now = Date.now()): readonly (Range & { name: string })[] {
  const [year = 0, month = 0, day = 0] = wallClock(new Date(now), zone).slice(0, 10).split('-').map(Number)
  const midnight = (y: number, m: number, d: number) =>
    atWallClock(new Date(Date.UTC(y, m - 1, d)).toISOString().slice(0, 10), zone)
      .toISOString()
      .replace('.000', '')
  const today = midnight(year, month, day)
  const first = midnight(year, month, 1)
  return [
    { name: 'Today', from: today, to: midnight(year, month, day + 1) },
    { name: 'Yesterday', from: midnight(year, month, day - 1), to: today },
    { name: 'This month', from: first, to: midnight(year, month + 1, 1) },
    { name: 'Last month', from: midnight(year, month - 1, 1), to: first },
  ]
}

/** A range in a few words. */
export function rangeName({ from, to }: Range, zone: string): string {
  const calendar = calendarRanges(zone).find((one) => one.from === from && one.to === to)
  if (calendar !== undefined) return calendar.name
  const preset = to === '' ? presets.find((one) => one.from === from) : undefined
  if (preset !== undefined) return preset.name
  if (to === '') return `since ${instantName(from, zone)}`
  return from === ''
    ? `until ${instantName(to, zone)}`
    : `${instantName(from, zone)} – ${instantName(to, zone)}`
}

/** now-24h as it is, 2026-03-28T13:05:00Z as a clock in the zone shows it: 28 Mar 2026, 14:05. */
function instantName(instant: string, zone: string): string {
  const at = Date.parse(instant)
  if (Number.isNaN(at)) return instant
  if (!instant.includes('T')) return `${dayOf(instant)} ${instant.slice(0, 4)}`
  return longTime(instant, zone).slice(0, -3)
}

/** What a field for date and time shows for an instant; "" for one that it cannot show. */
export function fieldOf(instant: string, zone: string, now = Date.now()): string {
  if (instant === '') return ''
  const [, amount, unit = ''] = /^now-(\d+)([wdhms])$/.exec(instant) ?? []
  const lengths: Record<string, number> = { w: 604_800_000, d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000 }
  const at = amount === undefined ? Date.parse(instant) : now - Number(amount) * (lengths[unit] ?? 0)
  return Number.isNaN(at) ? '' : wallClock(new Date(at), zone).slice(0, 16)
}
