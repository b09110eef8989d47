import { momentAt, type Clock } from './clock'

/** For how long time goes on after the server last said until when all is known, ms. It is asked every second. */
const trust = 3000
/** How fast a moment that is behind catches up: it makes up most of what it lacks in this time, ms. */
const catchUp = 500
/** What it does not catch up with but leaps over, ms. */
const leap = 3000
/** Two times of one frame differ by no more, ms: they are written with different digits. */
const same = 0.001

/**
 * How far a session that runs is known. Frames are heard of before what they say is stored and fetched, so the
 * present of the page is as late as its data: until that holds the latest frame, time stands at the end of the
 * data, and then goes on for as long as the server has nothing more. Times of the wall are of a monotonic clock.
 */
export class Present {
  /** When the latest frame arrived that is known of. */
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

  /** The server has nothing but what it sent, until an offset. */
  confirm(offset: number, now: number) {
    this.confirmed = { offset, at: now }
  }

  /** Until when the data that is shown is all there is. */
  known(now: number): number {
    if (this.loaded + same < this.edge) return this.loaded
    return Math.max(this.edge, this.confirmed.offset + Math.min(now - this.confirmed.at, trust))
  }

  /** A clock that goes on from another towards what is known. Who reads it stops there. */
  chase(clock: Clock, now: number): Clock {
    const known = this.known(now)
    const here = Math.max(Math.min(momentAt(clock, now), known), clock.offset)
    const behind = known - here
    const offset = behind > leap ? known : here
    return { offset, at: now, speed: 1 + (known - offset) / catchUp, ceiling: Infinity }
  }
}
