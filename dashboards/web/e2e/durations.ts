/** The milliseconds that a duration for people says: 225 ms, 4.40 s, 13 m 01 s. */
export function milliseconds(text: string): number {
  const units: Record<string, number> = { µs: 0.001, ms: 1, s: 1000, m: 60_000, h: 3_600_000 }
  let sum = NaN
  for (const [, n, unit] of text.matchAll(/([\d.]+) (µs|ms|s|m|h)\b/g))
    sum = (Number.isNaN(sum) ? 0 : sum) + Number(n) * (units[unit ?? ''] ?? NaN)
  return sum
}
