/** Nanoseconds since 1970 of an RFC 3339 time in UTC, with up to nine digits of its second. */
export function nanoseconds(time: string): bigint {
  const [whole = '', fraction = ''] = time.replace('Z', '').split('.')
  return BigInt(Date.parse(`${whole}Z`)) * 1_000_000n + BigInt(fraction.padEnd(9, '0').slice(0, 9))
}

/** When the frame at a position arrived, in ms after a session's start; NaN if it is no position. */
export function offsetOf(position: string, started: string): number {
  const [at = ''] = position.split('.')
  return /^\d+$/.test(at) ? Number(BigInt(at) - nanoseconds(started)) / 1e6 : NaN
}
