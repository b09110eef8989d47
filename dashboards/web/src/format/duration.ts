/** A duration for people: 850 µs, 12.3 ms, 4.20 s, 3 m 05 s, 2 h 07 m, 4 d 23 h. */
export function duration(ms: number): string {
  if (ms < 0) return `−${duration(-ms)}`
  if (ms === 0) return '0 s'
  if (ms < 0.0005) return '< 1 µs'
  if (ms < 0.9995) return `${Math.round(ms * 1000)} µs`
  if (ms < 999.5) return `${ms < 9.95 ? ms.toFixed(1) : Math.round(ms)} ms`
  if (ms < 9_995) return `${(ms / 1000).toFixed(2)} s`
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  if (seconds < 3600) return `${Math.floor(seconds / 60)} m ${two(seconds % 60)} s`
  const minutes = Math.round(seconds / 60)
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ${two(minutes % 60)} m`
  const hours = Math.round(minutes / 60)
  return `${Math.floor(hours / 24)} d ${two(hours % 24)} h`
}

/** A duration that grows, in whole seconds: 46 s, 3 m 05 s. */
export function wholeSeconds(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  return seconds < 60 ? `${seconds} s` : duration(seconds * 1000)
}

/** A duration that may be unknown. */
export function took(ms: number | null): string {
  return ms === null ? '–' : duration(ms)
}

/** A moment on the tape as a video player shows it: 0:04.250, 12:03.000, 1:02:03.000. */
export function clock(ms: number, fraction = true): string {
  const whole = Math.max(0, Math.floor(ms))
  const [hours, minutes, seconds] = [
    Math.floor(whole / 3_600_000),
    Math.floor(whole / 60_000) % 60,
    Math.floor(whole / 1000) % 60,
  ]
  const tail = fraction ? `.${String(whole % 1000).padStart(3, '0')}` : ''
  return (hours > 0 ? `${hours}:${two(minutes)}` : String(minutes)) + `:${two(seconds)}${tail}`
}

function two(n: number): string {
  return String(n).padStart(2, '0')
}
