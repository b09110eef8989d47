import { expect, test } from 'vitest'
import { causeOf, endLine } from './end'

const end = {
  at: '2026-03-02T10:00:02.73Z',
  offset_ms: 2730,
  reason: 'exit',
  detail: 'the recorded command exited with 137',
  span: { id: 'tool:1', kind: 'tool', name: 'psql' },
} as const

test('the cause of an end is shown in a line', () => {
  expect(endLine(end)).toEqual({
    text: 'Ended at 2.73 s: the recorded command exited with 137',
    in: { id: 'tool:1', name: 'psql' },
    mild: false,
  })
  expect(endLine({ ...end, reason: 'lost', detail: 'its recorder is gone', span: null })).toMatchObject({
    text: 'Lost at 2.73 s: its recorder is gone',
    in: null,
    mild: true,
  })
  // A run without a name is all of the session.
  expect(endLine({ ...end, span: { id: 'r', kind: 'run', name: '' } })?.in).toBeNull()
})

test('the error of a run that failed is the cause', () => {
  expect(endLine({ ...end, reason: 'error', detail: 'the run failed: disk full' })?.text).toBe(
    'Failed at 2.73 s: disk full',
  )
})

test.each(['eof', 'closed', 'done'] as const)('an end by %s has no line', (reason) => {
  expect(endLine({ ...end, reason })).toBeNull()
})

test('the list shows the cause in one text', () => {
  expect(causeOf(end)).toBe('Ended at 2.73 s: the recorded command exited with 137, in psql')
  expect(causeOf({ ...end, span: null })).toBe('Ended at 2.73 s: the recorded command exited with 137')
  expect([causeOf({ ...end, reason: 'eof' }), causeOf(null)]).toEqual([undefined, undefined])
})

test('an open session has no line', () => expect(endLine(null)).toBeNull())
