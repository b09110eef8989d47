import type { Range } from './rows'
import type { Warp } from './warp'

/** What can be looked at closest, ms. */
const closest = 0.05

/** Narrows or widens a range around one of its moments, and keeps it within all there is. */
export function zoom(range: Range, all: Range, factor: number, around: number): Range {
  const length = range.to - range.from
  const wanted = Math.min(Math.max(length * factor, closest), all.to - all.from)
  const share = length > 0 ? (around - range.from) / length : 0.5
  return within({ from: around - wanted * share, to: around + wanted * (1 - share) }, all)
}

/** Moves a range, no further than all there is. */
export function pan(range: Range, all: Range, by: number): Range {
  return within({ from: range.from + by, to: range.to + by }, all)
}

/**
 * The range that a moment which has left it is seen in: near the left of one of the same length. Null while it
 * is in sight, and if it was out of sight before, which a reader of another part wants to keep.
 */
export function following(range: Range, all: Range, before: number, moment: number): Range | null {
  const inSight = (ms: number) => ms >= range.from && ms <= range.to
  if (!inSight(before) || inSight(moment)) return null
  const lead = (range.to - range.from) * 0.05
  return pan(range, all, moment - lead - range.from)
}

/** The range of the same length that lies within all there is, or all of that. */
export function within(range: Range, all: Range): Range {
  const length = Math.min(range.to - range.from, all.to - all.from)
  const from = Math.min(Math.max(range.from, all.from), all.to - length)
  return { from, to: from + length }
}

/** A range between two moments, in either order, wide enough to be looked at. */
export function between(a: number, b: number, all: Range): Range {
  const [from, to] = [Math.min(a, b), Math.max(a, b)]
  const missing = Math.max(0, closest - (to - from)) / 2
  return within({ from: from - missing, to: to + missing }, all)
}

const steps = [
  ...[0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800].map((s) => s * 1000),
  ...[1, 2, 3, 6, 12, 24, 48, 168].map((h) => h * 3_600_000),
]

/** Round moments in a range, at most so many, and the step between them, ms. */
export function ticks({ from, to }: Range, most: number): { at: number[]; step: number } {
  const least = (to - from) / Math.max(most, 1)
  const step = steps.find((s) => s >= least) ?? Math.ceil(least / 86_400_000) * 86_400_000
  const at: number[] = []
  for (let i = Math.ceil(from / step); i * step <= to; i++) at.push(i * step)
  return { at, step }
}

/**
 * Round moments in a drawn range, outside of what is folded there, at most so many. A fold may draw two of them close
 * together: then the later is left out.
 */
export function warpedTicks(range: Range, warp: Warp, most: number): { at: number[]; step: number } {
  if (warp.folds.length === 0) return ticks(range, most)
  const least = (range.to - range.from) / Math.max(most, 1)
  const step = steps.find((s) => s >= least) ?? Math.ceil(least / 86_400_000) * 86_400_000
  const at: number[] = []
  let free = -Infinity
  let from = warp.moment(range.from)
  for (const fold of [...warp.folds, null]) {
    const to = Math.min(fold?.from ?? Infinity, warp.moment(range.to))
    for (let i = Math.ceil(from / step); i * step <= to; i++) {
      const drawn = warp.draw(i * step)
      // Its name needs the room before the fold.
      if (drawn < free || (fold !== null && drawn + least * 0.7 > fold.at)) continue
      at.push(i * step)
      free = drawn + least
    }
    if (fold === null) break
    from = Math.max(from, fold.to)
    free = Math.max(free, fold.at + fold.width)
  }
  return { at, step }
}

/** A tick's name, as exact as its step asks for: 0:05, 1:02:30, 4.25 s, 12.5 ms. */
export function tickName(at: number, step: number): string {
  if (at === 0) return '0'
  if (step < 1) return `${at.toFixed(step < 0.1 ? 2 : 1)} ms`
  if (step < 1000 && at < 60_000) return at < 1000 ? `${at} ms` : `${trim(at / 1000)} s`
  const seconds = Math.floor(at / 1000)
  const tail = step < 1000 ? `.${String(Math.round(at % 1000)).padStart(3, '0')}` : ''
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  const clock = `${String(seconds % 60).padStart(2, '0')}${tail}`
  if (hours === 0) return `${minutes}:${clock}`
  return `${hours}:${String(minutes).padStart(2, '0')}:${clock}`
}

function trim(n: number): string {
  return n.toFixed(3).replace(/\.?0+$/, '')
}

/** Whether a range shows all there is, within rounding. */
export function isWhole(range: Range, all: Range): boolean {
  return range.to - range.from >= (all.to - all.from) * (1 - 1e-9)
}
