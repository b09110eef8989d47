import type { Connection, Listener } from '../session/player/environment'
import type { Control, Cue, State } from '../session/player/wire'

/** What is played of a frame. */
export interface Mark {
  position: string
  offset_ms: number
}

/** The clock and the timers of a playback. */
export interface Timing {
  now: () => number
  after: (ms: number, run: () => void) => () => void
}

/** The longest wait of a timer, ms: a browser runs a timer with a longer one at once. */
const longestWait = 2 ** 31 - 1

const browserTiming: Timing = {
  now: () => performance.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, Math.min(ms, longestWait))
    return () => clearTimeout(timer)
  },
}

/**
 * Plays frames in the page as the server's player plays them with mode=cue and hold=1: it begins paused, and
 * reports the frames that are due. Only the controls "state" and "step" are answered.
 */
export class Playback implements Connection {
  /** Frames before the place; the next one to play. */
  private next = 0
  /** The moment of the place, ms, and when it was reached. */
  private at = 0
  private since = 0
  private paused = true
  private speed = 1
  private idleLimit = Infinity
  private loop = false
  /** Frames that were played. */
  private played = 0
  private cancel: (() => void) | null = null
  private closed = false

  constructor(
    private readonly frames: readonly Mark[],
    private readonly duration: number,
    private readonly listener: Listener,
    private readonly timing: Timing = browserTiming,
  ) {
    this.cancelOpening = timing.after(0, () => listener.opened())
  }

  private readonly cancelOpening: () => void

  send(text: string) {
    const control = JSON.parse(text) as Control
    if (this.closed) return
    this.advance()
    switch (control.op) {
      case 'pause':
        this.paused = true
        break
      case 'resume':
        this.paused = false
        break
      case 'seek':
        this.seek(control.to)
        break
      case 'speed':
        this.speed = control.value
        break
      case 'idle_limit':
        this.idleLimit = control.value === null ? Infinity : Number.parseFloat(control.value)
        break
      case 'loop':
        this.loop = control.value
        break
      case 'step':
        this.step(control.frames)
        this.report('step')
        break
      case 'state':
        this.report('state')
    }
    this.schedule()
  }

  close() {
    this.closed = true
    this.cancelOpening()
    this.cancel?.()
  }

  /** Moves the place to where the clock is between two frames. */
  private advance() {
    if (!this.paused) this.at = Math.min(this.at + this.elapsed(), this.nextOffset())
    this.since = this.timing.now()
  }

  private elapsed(): number {
    return (this.timing.now() - this.since) * this.speed
  }

  private nextOffset(): number {
    return Math.max(this.frames[this.next]?.offset_ms ?? this.at, this.at)
  }

  /** Goes to a place as placeAfter writes it: +123ns. */
  private seek(to: string) {
    const ns = Number.parseFloat(to)
    const found = this.frames.findIndex(({ offset_ms }) => Math.round(offset_ms * 1e6) >= ns)
    this.next = found < 0 ? this.frames.length : found
    this.at = Math.max(ns - 1, 0) / 1e6
  }

  private step(frames: number) {
    this.paused = true
    const before = this.next
    this.next = Math.min(Math.max(this.next + frames, 0), this.frames.length)
    this.played += Math.abs(this.next - before)
    if (this.next !== before || frames < 0) this.at = this.frames[this.next - 1]?.offset_ms ?? 0
  }

  /** Waits for the next frame. */
  private schedule() {
    this.cancel?.()
    this.cancel = null
    if (this.paused || this.closed) return
    const gap = Math.min(this.nextOffset() - this.at, this.idleLimit)
    this.cancel = this.timing.after(gap / this.speed, () => this.due())
  }

  /** Plays the next frame, and those that arrived with it. */
  private due() {
    if (this.next >= this.frames.length) {
      this.end()
      return
    }
    this.at = this.nextOffset()
    this.since = this.timing.now()
    const before = this.next
    while ((this.frames[this.next]?.offset_ms ?? Infinity) <= this.at) this.next++
    this.played += this.next - before
    const last = this.frames[this.next - 1]
    if (last !== undefined) {
      const cue: Cue = { type: 'cue', ...last, frames: this.next - before }
      this.tell(cue)
    }
    this.schedule()
  }

  private end() {
    if (!this.loop) {
      this.paused = true
      this.report('end')
      return
    }
    this.next = 0
    this.at = 0
    this.since = this.timing.now()
    this.report('loop')
    this.schedule()
  }

  private report(op: string) {
    const ended = op === 'end'
    this.tell({
      type: 'state',
      op,
      state: ended ? 'ended' : this.paused ? 'paused' : 'playing',
      position: this.frames[this.next - 1]?.position ?? null,
      offset_ms: this.at,
      duration_ms: this.duration,
      paused: this.paused,
      frames: this.played,
      live: false,
    })
  }

  private tell(message: Cue | State) {
    this.listener.received(JSON.stringify(message))
  }
}
