import type { Schemas } from '../../api/client'

type Density = Schemas['Density']

/**
 * The heights of so many bars, from 0 to 1, over a time axis of `length` ms. Few frames show beside many: a
 * bar is as high as the logarithm of its count, and one that has any is seen.
 */
export function bars(density: Density, length: number, columns: number): Float32Array {
  const counts = new Float64Array(columns)
  const { frames, slice_ms: slice } = density
  for (const [i, n] of frames.entries()) {
    const column = length <= 0 ? 0 : Math.floor(((i + 0.5) * slice * columns) / Math.max(length, slice))
    if (n > 0 && column < columns) counts[column] = (counts[column] ?? 0) + n
  }
  const most = Math.log1p(Math.max(...counts))
  return Float32Array.from(counts, (n) => (n === 0 ? 0 : Math.max(Math.log1p(n) / most, 0.12)))
}

/** How many frames arrived around a moment: in its slice. */
export function framesAt(density: Density, offset: number): number {
  return density.frames[Math.floor(offset / density.slice_ms)] ?? 0
}

export interface Silence {
  from: number
  to: number
}

/** The times in which nothing arrived for longer than `limit` ms, which a player that skips them cuts short. */
export function silences(density: Density, limit: number): Silence[] {
  const found: Silence[] = []
  const { frames, slice_ms: slice } = density
  let from = -1
  for (let i = 0; i <= frames.length; i++) {
    const silent = i < frames.length && frames[i] === 0
    if (silent && from < 0) from = i
    if (!silent && from >= 0) {
      if ((i - from) * slice > limit) found.push({ from: from * slice, to: i * slice })
      from = -1
    }
  }
  return found
}
