import type { Schemas } from '../../api/client'
import type { Alert } from '../../api/alerts'
import { offsetOfTime } from './position'

type Span = Schemas['Span']
type Note = Schemas['Note']

/** Something worth going to. `at` is ms from the session's start. */
export interface Marker {
  at: number
  kind: 'node' | 'tool' | 'note' | 'alert' | 'error'
  name: string
  /** When an alert ended; null while it is open. */
  until?: number | null
}

/** Where the alerts of a session began, in order of time. Those about its tags or tenant have no place in it. */
export function alertMarkers(alerts: readonly Alert[], started: string): Marker[] {
  const offset = (time: string) => Math.max(0, offsetOfTime(time, started))
  return alerts
    .filter(({ per }) => per === null)
    .map(({ rule, detail, began, ended }) => ({
      at: offset(began),
      kind: 'alert' as const,
      name: `${rule}: ${detail}`,
      until: ended === null ? null : offset(ended),
    }))
    .sort((a, b) => a.at - b.at)
}

/** The moments that notes are about. Those about the whole session have no place in it. */
export function noteMarkers(notes: readonly Note[], started: string): Marker[] {
  return notes.flatMap(({ at, text, labels, thumb, author }) => {
    if (at === null) return []
    const says = [text, labels.join(', '), thumb === null ? '' : `thumb ${thumb}`].find((part) => part !== '')
    return [
      {
        at: Math.max(0, offsetOfTime(at, started)),
        kind: 'note' as const,
        name: `${author}: ${says ?? ''}`,
      },
    ]
  })
}

/** Where tools were called, where something failed, and where another node took over, in order of time. */
export function markersOf(spans: readonly Span[]): Marker[] {
  const found: Marker[] = []
  const add = (span: Span) => {
    if (span.kind === 'tool' || span.kind === 'node')
      found.push({ at: span.start_ms, kind: span.kind, name: span.name })
    if (span.status === 'error')
      found.push({ at: span.start_ms + (span.duration_ms ?? 0), kind: 'error', name: failure(span) })
    span.children.forEach(add)
  }
  spans.forEach(add)
  return found.sort((a, b) => a.at - b.at)
}

function failure(span: Span): string {
  const what = span.name === '' ? span.kind : span.name
  return span.error === null || span.error === '' ? `${what} failed` : `${what}: ${span.error}`
}

/** The marker after a moment, or the one before it. What is as near as a screen shows counts as there. */
export function nextMarker(markers: readonly Marker[], offset: number, back: boolean): Marker | undefined {
  return back
    ? markers.findLast((marker) => marker.at < offset - 1e-6)
    : markers.find((marker) => marker.at > offset + 1e-6)
}

/** The marker that is nearest to a moment, errors before others, if one is within reach. */
export function markerNear(markers: readonly Marker[], offset: number, reach: number): Marker | undefined {
  let best: Marker | undefined
  for (const marker of markers) {
    if (Math.abs(marker.at - offset) > reach) continue
    const better =
      best === undefined ||
      (marker.kind === 'error' && best.kind !== 'error') ||
      (marker.kind === best.kind && Math.abs(marker.at - offset) < Math.abs(best.at - offset))
    if (better) best = marker
  }
  return best
}
