/**
 * Where the moment is between two words from the server: it moves on from the last one. Times of the wall
 * are milliseconds of any monotonic clock, moments milliseconds of the tape.
 */
export interface Clock {
  /** The moment, */
  offset: number
  /** and the wall's time then. */
  at: number
  /** How fast it moves; 0 while it stands. */
  speed: number
  /** Where it stops until there is word of more. */
  ceiling: number
}

export function momentAt(clock: Clock, now: number): number {
  return Math.max(
    clock.offset,
    Math.min(clock.offset + Math.max(now - clock.at, 0) * clock.speed, clock.ceiling),
  )
}

/**
 * Where a clock goes on from, after word that the server's moment is `offset`. Word takes its time, so a clock
 * that is ahead by up to `tolerance` is the more exact one: the moment does not jump back and forth.
 */
export function corrected(clock: Clock, offset: number, now: number, tolerance: number): number {
  const here = momentAt(clock, now)
  return here < offset || here > offset + tolerance ? offset : here
}
