/** Nanoseconds since 1970 of an RFC 3339 time in UTC, with up to nine digits of its second. */
export function nanoseconds(time: string): bigint {
  const [whole = '', fraction = ''] = time.replace('Z', '').split('.')
  return BigInt(Date.parse(`${whole}Z`)) * 1_000_000n + BigInt(fraction.padEnd(9, '0').slice(0, 9))
}

/** How long a time, in RFC 3339, is after a session's start: ms, exact to the nanosecond. */
export function offsetOfTime(time: string, started: string): number {
  return Number(nanoseconds(time) - nanoseconds(started)) / 1e6
}

/**
 * The time in RFC 3339, with nine digits of its second, that is just after an offset, in ms, from a session's start: the
 * end of a range that has the frame at the offset.
 */
export function timeAfter(started: string, offset: number): string {
  const at = nanoseconds(started) + BigInt(Math.round(offset * 1e6)) + 1n
  const second = new Date(Number(at / 1_000_000_000n) * 1000).toISOString().slice(0, 19)
  return `${second}.${String(at % 1_000_000_000n).padStart(9, '0')}Z`
}

/** When the frame at a position arrived, in ms after a session's start; NaN if it is no position. */
export function offsetOf(position: string, started: string): number {
  const [at = ''] = position.split('.')
  return /^\d+$/.test(at) ? Number(BigInt(at) - nanoseconds(started)) / 1e6 : NaN
}
