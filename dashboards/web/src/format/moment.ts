import { viewerZone, wallClock } from './zone'

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** A time in its shortest form: 14:05:09 today, 28 Mar 14:05 this year, else 28 Mar 2025. */
export function shortTime(iso: string, now = new Date(), zone = viewerZone): string {
  const [date = '', time = ''] = wallClock(new Date(iso), zone).split('T')
  const [today = ''] = wallClock(now, zone).split('T')
  if (date === today) return time
  const day = dayOf(date)
  return date.slice(0, 4) === today.slice(0, 4) ? `${day} ${time.slice(0, 5)}` : `${day} ${date.slice(0, 4)}`
}

/** A time to the second, in the viewer's zone: 28 Mar 2026, 14:05:09. */
export function longTime(iso: string, zone = viewerZone): string {
  const [date = '', time = ''] = wallClock(new Date(iso), zone).split('T')
  return `${dayOf(date)} ${date.slice(0, 4)}, ${time}`
}

/** A time in full, to the millisecond, in the viewer's zone: 28 Mar 2026, 14:05:09.123. */
export function fullTime(iso: string, zone = viewerZone): string {
  return `${longTime(iso, zone)}.${thousandths(new Date(iso))}`
}

/** The same in UTC: 2026-03-28 13:05:09.123 UTC. */
export function utcTime(iso: string): string {
  return new Date(iso).toISOString().replace('T', ' ').replace('Z', ' UTC')
}

/** How long ago: just now, 12 s ago, 5 m ago, 3 h ago, 2 d ago. */
export function ago(iso: string, now = Date.now()): string {
  const seconds = Math.max(0, (now - Date.parse(iso)) / 1000)
  if (seconds < 2) return 'just now'
  if (seconds < 60) return `${Math.floor(seconds)} s ago`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} m ago`
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`
  return `${Math.floor(seconds / 86_400)} d ago`
}

/** 2026-03-28 as 28 Mar. */
export function dayOf(date: string): string {
  return `${Number(date.slice(8, 10))} ${months[Number(date.slice(5, 7)) - 1] ?? ''}`
}

/** 2026-03 as Mar 2026. */
export function monthOf(date: string): string {
  return `${months[Number(date.slice(5, 7)) - 1] ?? ''} ${date.slice(0, 4)}`
}

function thousandths(at: Date): string {
  return String(at.getUTCMilliseconds()).padStart(3, '0')
}
