/** The position of a frame. */
export interface Mark {
  position: string
  offset_ms: number
}

/** A moment: a frame's position where it is known, else a time, ms from the session's start. */
export interface Moment {
  position: string | null
  offset: number
}

/** How many of some frames, in order, had arrived by a moment. */
export function arrivedBy(frames: readonly Mark[], { position, offset }: Moment): number {
  const arrived = (frame: Mark) =>
    position === null ? frame.offset_ms <= offset : comparePositions(frame.position, position) <= 0
  let low = 0
  let high = frames.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const frame = frames[middle]
    if (frame !== undefined && arrived(frame)) low = middle + 1
    else high = middle
  }
  return low
}

/** Which comes first: below zero if a does. Positions are `<ns>.<stream>.<seq>`. */
export function comparePositions(a: string, b: string): number {
  const [atA = '0', streamA = '', seqA = '0'] = a.split('.')
  const [atB = '0', streamB = '', seqB = '0'] = b.split('.')
  return (
    compareNumbers(atA, atB) ||
    (streamA < streamB ? -1 : streamA > streamB ? 1 : 0) ||
    compareNumbers(seqA, seqB)
  )
}

/** Compares whole numbers of any length. */
function compareNumbers(a: string, b: string): number {
  const difference = BigInt(a) - BigInt(b)
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}
