import type { Player, PlayerState } from '../session/player/player'

/** How far the two moments may be apart while both play, ms of wall time. */
const tolerance = 500
/** How often they are brought together at most, ms. */
const interval = 2000

/** Plays two sessions on one clock: both are at the same time after their start. The shorter one waits at its end. */
export class PairPlayer implements Player {
  private shown: { a: PlayerState; b: PlayerState; both: PlayerState } | null = null
  private corrected = 0

  constructor(
    private readonly a: Player,
    private readonly b: Player,
    private readonly now: () => number = () => performance.now(),
  ) {}

  readonly subscribe = (changed: () => void): (() => void) => {
    const heard = () => {
      this.correct()
      changed()
    }
    const leaves = [this.a.subscribe(heard), this.b.subscribe(heard)]
    return () => leaves.forEach((leave) => leave())
  }

  state(): PlayerState {
    const [a, b] = [this.a.state(), this.b.state()]
    if (this.shown?.a !== a || this.shown.b !== b) {
      const both = {
        ...a,
        offset: Math.max(a.offset, b.offset),
        position: null,
        duration: Math.max(a.duration, b.duration),
        edge: Math.max(a.edge, b.edge),
        known: Math.max(a.known, b.known),
        playing: a.playing || b.playing,
        running: false,
        live: false,
        trouble: a.trouble ?? b.trouble,
        barred: a.barred ?? b.barred,
      }
      this.shown = { a, b, both }
    }
    return this.shown.both
  }

  play() {
    const { offset, duration } = this.state()
    const from = offset >= duration ? 0 : offset
    this.seek(from)
    for (const one of this.both()) if (from < one.state().duration) one.play()
  }

  pause() {
    for (const one of this.both()) one.pause()
  }

  seek(offset: number) {
    const { playing } = this.state()
    for (const one of this.both()) {
      one.seek(offset)
      // One that waits at its end plays on with the other from an earlier moment.
      if (playing && !one.state().playing && offset < one.state().duration) one.play()
    }
  }

  setSpeed(speed: number) {
    for (const one of this.both()) one.setSpeed(speed)
  }

  /** A position is of one session, and so are frames, silences and the present: they do not apply to two. */
  seekTo() {}
  step() {}
  setIdleLimit() {}
  setLoop() {}
  goLive() {}

  close() {
    for (const one of this.both()) one.close()
  }

  private both(): Player[] {
    return [this.a, this.b]
  }

  /** Brings B to A's moment where they have drifted apart. */
  private correct() {
    const [a, b] = [this.a.state(), this.b.state()]
    if (!a.playing || !b.playing || Math.abs(a.offset - b.offset) <= tolerance * a.speed) return
    const now = this.now()
    if (now - this.corrected < interval) return
    this.corrected = now
    this.b.seek(a.offset)
  }
}
