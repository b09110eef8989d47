import type { Schemas } from '../api/client'
import { duration } from '../format/duration'

type Session = Schemas['SessionHead']

/** The shortest silence that is shown, ms. */
const shortest = 5000

/** Whether more of a session is expected: it runs, or is quiet. */
export function isOpen({ status }: Pick<Session, 'status'>): boolean {
  return status === 'running' || status === 'quiet'
}

/** Whether nothing was recorded of a session but spans and events of OpenTelemetry. */
export function isOfSpans({ streams }: Pick<Schemas['SessionDetail'], 'streams'>): boolean {
  return streams.length > 0 && streams.every(({ dialect }) => dialect === 'otlp')
}

/** How long a session has been running by the server's clock, ms; its frames' duration if that is unknown. */
export function ageOf({ running_ms, duration_ms }: Session): number {
  return Math.max(running_ms ?? 0, duration_ms)
}

/** How long ago its last frame arrived, ms; 0 if that is unknown. */
export function silenceOf({ silent_ms }: Session): number {
  return silent_ms ?? 0
}

/** How long a session has been running, and silent unless that is short: "13 m 01 s, silent for 12 m 58 s". */
export function runningFor(age: number, silent: number): string {
  const running = duration(wholeSeconds(age))
  return silent < shortest ? running : `${running}, silent for ${duration(wholeSeconds(silent))}`
}

/** Seconds once there are some: what is shown of it changes with each. */
function wholeSeconds(ms: number): number {
  return ms < 1000 ? ms : Math.floor(ms / 1000) * 1000
}
