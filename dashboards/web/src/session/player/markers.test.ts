import { expect, test } from 'vitest'
import { span } from '../conversation/messages.fixture'
import { alert } from '../../testing/alert'
import { alertMarkers, markerNear, markersOf, nextMarker, noteMarkers } from './markers'

const markers = markersOf([
  span({
    kind: 'run',
    start_ms: 0,
    duration_ms: 90,
    status: 'error',
    name: '',
    error: null,
    children: [
      span({ kind: 'node', name: 'plan', start_ms: 1, children: [span({ kind: 'llm', start_ms: 2 })] }),
      span({ kind: 'tool', name: 'bash', start_ms: 50, duration_ms: 10, status: 'error', error: 'exit 1' }),
    ],
  }),
])

test('tools, nodes and errors are marked, in order', () => {
  expect(markers).toEqual([
    { at: 1, kind: 'node', name: 'plan' },
    { at: 50, kind: 'tool', name: 'bash' },
    { at: 60, kind: 'error', name: 'bash: exit 1' },
    { at: 90, kind: 'error', name: 'run failed' },
  ])
})

test('the next one and the one before', () => {
  expect(nextMarker(markers, 1, false)?.at).toBe(50)
  expect(nextMarker(markers, 50, true)?.at).toBe(1)
  expect(nextMarker(markers, 90, false)).toBeUndefined()
  expect(nextMarker(markers, 1, true)).toBeUndefined()
})

test('the one that a pointer means', () => {
  expect(markerNear(markers, 52, 5)?.kind).toBe('tool')
  expect(markerNear(markers, 52, 20)?.kind).toBe('error')
  expect(markerNear(markers, 30, 5)).toBeUndefined()
})

test('alerts are marked where they began and ended, but for those about a tag or a tenant', () => {
  const marks = alertMarkers(
    [
      alert({ began: '2026-03-02T10:00:30Z' }),
      alert({ rule: 'early', began: '2026-03-02T09:59:00Z', ended: '2026-03-02T10:00:10Z' }),
      alert({ per: 'tag:customer', value: 'c1', period: '2026-03' }),
    ],
    '2026-03-02T10:00:00Z',
  )
  expect(marks).toEqual([
    { at: 0, kind: 'alert', name: 'early: no frame for more than 2m0s', until: 10_000 },
    { at: 30_000, kind: 'alert', name: 'silent: no frame for more than 2m0s', until: null },
  ])
  const [precise] = alertMarkers([alert({ began: '2026-03-02T10:00:00.0059Z' })], '2026-03-02T10:00:00.0001Z')
  expect(precise?.at).toBe(5.8)
})

test('notes are marked at their moments, by their text, else their labels or thumb', () => {
  const note = {
    id: '1',
    session_id: 's',
    span_id: null,
    at: '2026-03-02T10:00:03.500000Z',
    text: 'The tax is left out.',
    labels: ['refund', 'triage'],
    thumb: 'down' as const,
    author: 'ops',
    written_at: '2026-03-02T11:00:00Z',
    changed_at: '2026-03-02T11:00:00Z',
  }
  const marks = noteMarkers(
    [
      note,
      { ...note, at: null },
      { ...note, at: '2026-03-02T10:00:03.0009Z' },
      { ...note, text: '' },
      { ...note, text: '', labels: [], at: '2026-03-02T09:59:00Z' },
    ],
    '2026-03-02T10:00:00Z',
  )
  expect(marks).toEqual([
    { at: 3500, kind: 'note', name: 'ops: The tax is left out.' },
    { at: 3000.9, kind: 'note', name: 'ops: The tax is left out.' },
    { at: 3500, kind: 'note', name: 'ops: refund, triage' },
    { at: 0, kind: 'note', name: 'ops: thumb down' },
  ])
})
