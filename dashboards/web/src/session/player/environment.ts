import { connect } from './connect'

/** The connection that cues come over. */
export interface Connection {
  send(text: string): void
  close(): void
}

/** What a connection reports to. */
export interface Listener {
  opened(): void
  received(text: string): void
  closed(): void
}

/** What the player uses of the browser. */
export interface Environment {
  connect(address: string, listener: Listener): Connection
  /** The time of a monotonic clock, ms. */
  now(): number
  /** Calls back before the next picture is drawn; the returned function cancels that. */
  beforeFrame(draw: () => void): () => void
}

export const browser: Environment = {
  connect,
  now: () => performance.now(),
  beforeFrame: paced(),
}

/** The least time between two pictures, ms. Thirty a second are enough to read by, and cost half of sixty. */
const pictureInterval = 25

/** Calls back before the next frame of the screen, at most once per pictureInterval. */
function paced(): Environment['beforeFrame'] {
  let drawn = -Infinity
  return (draw) => {
    const frame = (now: number) => {
      if (now - drawn < pictureInterval) id = requestAnimationFrame(frame)
      else {
        drawn = now
        draw()
      }
    }
    let id = requestAnimationFrame(frame)
    return () => cancelAnimationFrame(id)
  }
}
