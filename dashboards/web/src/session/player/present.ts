import { momentAt, type Clock } from './clock'

/** How long the present advances after the server's last report of its `as_of_ms`, ms. It is polled every second. */
const trust = 3000
/** The time constant with which a moment that is behind catches up, ms. */
const catchUp = 500
/** The lag from which on the moment jumps rather than catches up, ms. */
const leap = 3000
/** Two times of one frame differ by no more, ms: they are written with different digits. */
const same = 0.001

/**
 * Tracks until when the data of an open session is complete. The page receives frames before their facts are stored
 * and fetched, so its present lags with its data: until the data includes the latest frame, time stands at the end
 * of the data, and then advances while the server has no further frame. Wall times are of a monotonic clock.
 */
export class Present {
  /** The arrival of the latest known frame. */
  edge: number
  /** Until when the data that is shown is complete. */
  private loaded: number
  private confirmed = { offset: -Infinity, at: 0 }

  constructor(edge: number) {
    this.edge = edge
    this.loaded = edge
  }

  load(offset: number) {
    this.loaded = Math.max(this.loaded, offset)
  }

  /** Records that the server has no further frame up to an offset. */
  confirm(offset: number, now: number) {
    this.confirmed = { offset, at: now }
  }

  /** Until when the data that is shown is all that exists. */
  known(now: number): number {
    if (this.loaded + same < this.edge) return this.loaded
    return Math.max(this.edge, this.confirmed.offset + Math.min(now - this.confirmed.at, trust))
  }

  /** A clock that continues from another towards the known end. Its reader stops there. */
  chase(clock: Clock, now: number): Clock {
    const known = this.known(now)
    const here = Math.max(Math.min(momentAt(clock, now), known), clock.offset)
    const behind = known - here
    const offset = behind > leap ? known : here
    return { offset, at: now, speed: 1 + (known - offset) / catchUp, ceiling: Infinity }
  }
}
