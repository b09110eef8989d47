import { placeAfter, type Control, type State } from './wire'

/**
 * Tracks how the moment of the page and that of the server's player are related. While nothing plays the page moves
 * its moment alone; before the server plays or steps, it is sent there.
 */
export class Sync {
  /** The server is at another moment than the page, and must seek before it plays. */
  private moved = true
  /** What the next answer sets: the moment, the frame as well, or nothing new. */
  private expects: 'nothing' | 'offset' | 'frame' = 'nothing'
  /** Frames that the server had played when it was sent to the moment: its position is older than that. */
  private playedBefore = -1
  /** How many frames to step on, or back, once the server is ready for it. */
  private steps = 0
  /** The steps that were sent last go forward. */
  private onward = false

  get desynced(): boolean {
    return this.moved
  }

  get hasSteps(): boolean {
    return this.steps !== 0
  }

  /** The page went to another moment. */
  leave() {
    this.moved = true
    this.expects = 'nothing'
  }

  /** A new connection begins, at the present of the session or anywhere else. */
  reset(live = false) {
    this.moved = !live
  }

  /** The page pauses. Live, the server is ahead: it plays frames before this page has fetched their facts. */
  pause(live: boolean) {
    if (live) this.moved = true
    if (!this.moved) this.expects = 'offset'
  }

  /** The server is sent to the present. */
  follow() {
    this.moved = false
    this.playedBefore = Infinity
    this.expects = 'offset'
  }

  /** Returns the controls that bring the server to a moment: just after the frames that are shown. */
  cursor(offset: number): Control[] {
    if (!this.moved) return []
    this.moved = false
    this.playedBefore = Infinity
    return [{ op: 'seek', to: placeAfter(offset) }]
  }

  addSteps(frames: number) {
    this.steps += frames
  }

  dropSteps() {
    this.steps = 0
  }

  /** Returns the controls for all pending steps as one. */
  takeSteps(offset: number): Control[] {
    const place = this.cursor(offset)
    const frames = this.steps
    this.steps = 0
    this.onward = frames > 0
    this.expects = 'frame'
    return [{ op: 'pause' }, ...place, { op: 'step', frames }]
  }

  /**
   * Reads an answer: whether it sets the moment, whether its position is that of the moment, and whether it
   * answers a step forward.
   */
  accept({ frames }: State): { sets: boolean; fresh: boolean; onward: boolean } {
    if (this.playedBefore === Infinity) this.playedBefore = frames
    const { expects } = this
    this.expects = 'nothing'
    const stepped = expects === 'frame'
    return {
      sets: expects !== 'nothing',
      fresh: stepped || frames > this.playedBefore,
      onward: stepped && this.onward,
    }
  }
}
