import type { Schemas } from '../api/client'
import { duration } from '../format/duration'

type Session = Schemas['SessionHead']

/** How short a silence is not worth saying, ms. */
const shortest = 5000

/** Whether more of a session is expected: it runs, or is quiet. */
export function isOpen({ status }: Pick<Session, 'status'>): boolean {
  return status === 'running' || status === 'quiet'
}

/** For how long a session has been running by the server's clock, ms; as long as its frames say where that is not known. */
export function ageOf({ running_ms, duration_ms }: Session): number {
  return Math.max(running_ms ?? 0, duration_ms)
}

/** How long ago its last frame came, ms; 0 where that is not known. */
export function silenceOf({ silent_ms }: Session): number {
  return silent_ms ?? 0
}

/** For how long a session has been running, and silent where that is worth saying: "13 m 01 s, silent for 12 m 58 s". */
export function runningFor(age: number, silent: number): string {
  const running = duration(wholeSeconds(age))
  return silent < shortest ? running : `${running}, silent for ${duration(wholeSeconds(silent))}`
}

/** Seconds once there are some: what is shown of it changes with each. */
function wholeSeconds(ms: number): number {
  return ms < 1000 ? ms : Math.floor(ms / 1000) * 1000
}
