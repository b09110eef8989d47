/**
 * Extrapolates the moment between two messages from the server. Wall times are milliseconds of any monotonic
 * clock, moments milliseconds of the tape.
 */
export interface Clock {
  /** The moment, */
  offset: number
  /** and the wall's time then. */
  at: number
  /** How fast it moves; 0 while it is stopped. */
  speed: number
  /** Where it stops until the server reports more. */
  ceiling: number
}

export function momentAt(clock: Clock, now: number): number {
  return Math.max(
    clock.offset,
    Math.min(clock.offset + Math.max(now - clock.at, 0) * clock.speed, clock.ceiling),
  )
}

/**
 * Returns where a clock continues after the server reported its moment as `offset`. The report takes its time, so a
 * clock that is ahead by up to `tolerance` is more exact, and the moment does not jump back and forth.
 */
export function corrected(clock: Clock, offset: number, now: number, tolerance: number): number {
  const here = momentAt(clock, now)
  return here < offset || here > offset + tolerance ? offset : here
}
