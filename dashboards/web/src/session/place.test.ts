import { expect, test } from 'vitest'
import { momentOf } from './player/address'
import { momentText, placeOf, withPlace } from './place'

test.each([
  ['', { tab: null, span: null, t: null }],
  ['?tab=frames&span=tool%3Aa%3A1&t=4.2', { tab: 'frames', span: 'tool:a:1', t: '4.2' }],
  ['?tab=nonsense&span=&t=', { tab: null, span: null, t: null }],
] as const)('%j is read', (search, want) => expect(placeOf(search)).toEqual(want))

test('a place is written and read again, and what else there is stays', () => {
  const search = withPlace('?x=1&t=3', { tab: 'timeline', span: 'tool:a b:1', t: null })
  expect(placeOf(search)).toEqual({ tab: 'timeline', span: 'tool:a b:1', t: null })
  expect(search).toContain('x=1')
  expect(withPlace('?tab=frames', { tab: null })).toBe('')
})

test('a moment is written to the nanosecond', () => {
  const offset = 1234.567891
  expect(momentOf(`?t=${momentText(offset)}`, '2026-03-02T10:00:00Z')?.offset).toBe(offset)
})
