import { expect, test } from 'vitest'
import { ago, dayOf, fullTime, monthOf, shortTime, utcTime } from './moment'

const now = new Date('2026-03-28T22:00:00Z') // 23:00 in Berlin

test.each([
  ['2026-03-28T13:05:09.123Z', '14:05:09'],
  ['2026-03-27T23:30:00Z', '00:30:00'], // today, there
  ['2026-03-27T22:30:00Z', '27 Mar 23:30'],
  ['2025-12-31T22:30:00Z', '31 Dec 2025'],
])('%s in short is %s', (iso, want) => expect(shortTime(iso, now, 'Europe/Berlin')).toBe(want))

test('in full', () => {
  expect(fullTime('2026-07-01T13:05:09.007999999Z', 'Europe/Berlin')).toBe('1 Jul 2026, 15:05:09.007')
  expect(utcTime('2026-07-01T13:05:09.007999999Z')).toBe('2026-07-01 13:05:09.007 UTC')
})

test.each([
  [0, 'just now'],
  [59.9, '59 s ago'],
  [60, '1 m ago'],
  [7300, '2 h ago'],
  [172_800, '2 d ago'],
  [-5, 'just now'],
])('%d seconds before is %s', (seconds, want) =>
  expect(ago(now.toISOString(), now.getTime() + seconds * 1000)).toBe(want),
)

test('days and months', () => {
  expect(dayOf('2026-03-08')).toBe('8 Mar')
  expect(monthOf('2026-12')).toBe('Dec 2026')
})
