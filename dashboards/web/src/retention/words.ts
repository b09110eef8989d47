import { counted } from '../format/numbers'
import type { Erasure, Kind } from './queries'

const day = 86400
const gb = 1e9

/** What a kind is of. */
export const kindText: Record<Kind, string> = {
  frames: 'The bytes as recorded: replay, tapes, emulation.',
  messages: 'Assembled texts, and search.',
  facts: 'Runs, calls and tools with their times.',
  charges: 'Usage records, and with them all of a session.',
  bills: 'Closed bills, but for the latest of an account.',
}

/** Whether a kind is kept for 13 months at least and has no limit of size. */
export function isBilling(kind: Kind): boolean {
  return kind === 'charges' || kind === 'bills'
}

/** The least age of charges and bills, days. */
export const leastBilling = 396

/** An age for people. */
export function ageText(seconds: number | null): string {
  if (seconds === null) return 'no limit'
  if (seconds % day === 0) return counted(seconds / day, 'day')
  return seconds % 3600 === 0 ? counted(seconds / 3600, 'hour') : counted(seconds, 'second')
}

/** Days of a field, in seconds; null for none, undefined for what is no number of days. */
export function secondsOf(days: string): number | null | undefined {
  return scaled(days, day)
}

/** GB of a field, in bytes. */
export function bytesOf(size: string): number | null | undefined {
  return scaled(size, gb)
}

function scaled(text: string, unit: number): number | null | undefined {
  if (text.trim() === '') return null
  const n = Math.round(Number(text) * unit)
  return Number.isSafeInteger(n) && n > 0 ? n : undefined
}

/** The fields' texts of limits. */
export const daysText = (seconds: number | null) => (seconds === null ? '' : String(seconds / day))
export const sizeText = (size: number | null) => (size === null ? '' : String(size / gb))

/** What the state of an erasure means. */
export const stateText: Record<Erasure['state'], string> = {
  requested: 'It is recorded.',
  hidden: 'Nothing of it shows any more.',
  removed: 'Everything is deleted. Files of deleted rows wait for their removal.',
  verified: 'Nothing of it was found any more.',
}

/** What an erasure is of. */
export function erasedText({ kind, tag, tenant, found }: Erasure): string {
  if (kind === 'tenant') return `tenant ${tenant}`
  const sessions = counted(found.sessions, 'session')
  return kind === 'tag' ? `${sessions} by tag ${tag}` : sessions
}
