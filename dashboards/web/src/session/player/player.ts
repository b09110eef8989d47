/** The state of a player. Times are milliseconds from the session's start. */
export interface PlayerState {
  /** The moment that is shown: everything that had arrived by then, and nothing after it. */
  offset: number
  /** The frame at the moment; null where it is unknown, or before the first frame. */
  position: string | null
  /**
   * Where the session ends: when its last stream ended, which may be after its last frame. For a session that
   * runs, its present.
   */
  duration: number
  /** When the latest frame arrived that is known of: what is newer than the data shown is fetched. */
  edge: number
  /** For an open session, until when the data shown is complete. Open spans are drawn up to there. */
  known: number
  playing: boolean
  /** From 0.1 to 1000. */
  speed: number
  /** The longest silence that is played, or null for all of it. */
  idleLimit: number | null
  loop: boolean
  /** The session still runs. */
  running: boolean
  /** The moment is the present: what arrives is shown as it does. */
  live: boolean
  /** What interrupts playing, in readable form: a lost connection, a refusal; null for nothing. */
  trouble: string | null
  /** Why nothing can be played, stepped or followed, in readable form; null where it can. */
  barred: string | null
}

/** Plays one session. All views of it show the same moment: the player's. */
export interface Player {
  /** Calls back after every change, until what is returned is called. */
  readonly subscribe: (changed: () => void) => () => void
  /** The same object until something changes. */
  state(): PlayerState
  play(): void
  pause(): void
  /** Goes to a moment, playing on if it plays. */
  seek(offset: number): void
  /** Goes to a frame, by its position. */
  seekTo(position: string): void
  /** Goes some frames on, or back where negative, and stays there. */
  step(frames: number): void
  setSpeed(speed: number): void
  setIdleLimit(limit: number | null): void
  setLoop(loop: boolean): void
  /** Goes to the present of a running session, and stays with it. */
  goLive(): void
  close(): void
}
