import type { Schemas } from '../../api/client'

type Message = Schemas['Message']

/** How one text grew, for any moment. Times are ms from the session's start. */
export interface Growth {
  /** When each piece had arrived; never falling. */
  readonly at: Float64Array
  /** How long the text was then, in UTF-16 units, as strings are cut. */
  readonly length: Uint32Array
}

const made = new WeakMap<Message, Growth>()

/** The growth of a message, worked out once for it. */
export function growthOf(message: Message): Growth {
  let growth = made.get(message)
  if (growth === undefined) {
    growth = grow(message)
    made.set(message, growth)
  }
  return growth
}

function grow({ text, start_ms, chunks }: Message): Growth {
  const count = chunks === undefined ? 0 : Math.min(chunks.offset_ms.length, chunks.end.length)
  // Without pieces it came whole, at its start.
  if (chunks === undefined || count === 0)
    return { at: Float64Array.of(start_ms), length: Uint32Array.of(text.length) }
  const at = new Float64Array(count)
  let latest = -Infinity
  for (let i = 0; i < count; i++) {
    // A later part cannot be read before the parts that it goes on from.
    latest = Math.max(latest, chunks.offset_ms[i] ?? latest)
    at[i] = latest
  }
  return { at, length: cutPoints(text, chunks.end.slice(0, count)) }
}

/**
 * Turns lengths in bytes of UTF-8, in rising order, into lengths in UTF-16 units. A character of which
 * only some bytes had arrived is not there yet.
 */
export function cutPoints(text: string, ends: readonly number[]): Uint32Array {
  const cuts = new Uint32Array(ends.length)
  let bytes = 0
  let units = 0
  for (let i = 0; i < ends.length; i++) {
    const end = ends[i] ?? 0
    while (units < text.length) {
      const code = text.codePointAt(units) ?? 0
      const next = bytes + (code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4)
      if (next > end) break
      bytes = next
      units += code < 0x10000 ? 1 : 2
    }
    cuts[i] = units
  }
  return cuts
}

/** How much of a text had arrived at a moment, in UTF-16 units. */
export function lengthAt({ at, length }: Growth, moment: number): number {
  return length[countUntil(at, moment) - 1] ?? 0
}

/** The moment at which a text had its last piece. */
export function wholeAt({ at }: Growth): number {
  return at[at.length - 1] ?? -Infinity
}

/** How many of some times, in rising order, are at or before a moment. */
export function countUntil(times: ArrayLike<number>, moment: number): number {
  let low = 0
  let high = times.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((times[middle] ?? Infinity) <= moment) low = middle + 1
    else high = middle
  }
  return low
}
