/** The zone that the viewer's clock is in, by its IANA name. */
export const viewerZone = Intl.DateTimeFormat().resolvedOptions().timeZone

/** All zones that the browser knows, UTC first. */
export function zones(): string[] {
  return ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')]
}

export function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

const clocks = new Map<string, Intl.DateTimeFormat>()

function clockOf(zone: string): Intl.DateTimeFormat {
  let clock = clocks.get(zone)
  if (clock === undefined) {
    clock = new Intl.DateTimeFormat('en', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    })
    clocks.set(zone, clock)
  }
  return clock
}

/** What clocks in a zone show at a time: 2026-03-29T14:05:09, without the zone. */
export function wallClock(at: Date, zone: string): string {
  const part: Partial<Record<Intl.DateTimeFormatPartTypes, string>> = {}
  for (const { type, value } of clockOf(zone).formatToParts(at)) part[type] = value
  const { year = '', month = '', day = '', hour = '', minute = '', second = '' } = part
  return `${year.padStart(4, '0')}-${month}-${day}T${hour}:${minute}:${second}`
}

/**
 * The time at which clocks in a zone show this (2026-03-29, 2026-03-29T14:05 or with seconds). Of an
 * hour that comes twice the first; of one that is left out, the moment at which it was.
 */
export function atWallClock(shown: string, zone: string): Date {
  const asUTC = Date.parse(`${shown.length === 10 ? `${shown}T00:00` : shown}Z`)
  const ahead = (at: number) => Date.parse(`${wallClock(new Date(at), zone)}Z`) - at
  const [before, after] = [ahead(asUTC - 86_400_000), ahead(asUTC + 86_400_000)]
  const early = asUTC - Math.max(before, after)
  const late = asUTC - Math.min(before, after)
  if (early + ahead(early) === asUTC) return new Date(early)
  if (late + ahead(late) === asUTC) return new Date(late)
  return new Date(asUTC - before)
}
