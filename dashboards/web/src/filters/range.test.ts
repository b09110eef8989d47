import { expect, test } from 'vitest'
import { calendarRanges, fieldOf, rangeName } from './range'

const zone = 'Europe/Berlin'

test.each([
  ['now-7d', '', 'Last 7 days'],
  ['', '', 'All time'],
  ['now-3d', '', 'since now-3d'],
  ['2026-03-01T10:00:00Z', '', 'since 1 Mar 2026, 11:00'],
  ['', '2026-03-01T10:00:00Z', 'until 1 Mar 2026, 11:00'],
  ['2026-03-01', '2026-07-01T10:00:00.000Z', '1 Mar 2026 – 1 Jul 2026, 12:00'],
])('from %s to %s is %s', (from, to, want) => expect(rangeName({ from, to }, zone)).toBe(want))

test('fields', () => {
  const now = Date.parse('2026-03-28T22:00:00Z')
  expect(fieldOf('now-24h', zone, now)).toBe('2026-03-27T23:00')
  expect(fieldOf('2026-03-28T22:00:00Z', zone, now)).toBe('2026-03-28T23:00')
  expect(fieldOf('', zone, now)).toBe('')
  expect(fieldOf('nonsense', zone, now)).toBe('')
})

test('days and months are those of the zone', () => {
  const now = Date.parse('2026-11-01T02:00:00Z') // 31 October, 22:00, in New York, which changes its clocks at 06:00Z
  expect(calendarRanges('America/New_York', now)).toEqual([
    { name: 'Today', from: '2026-10-31T04:00:00Z', to: '2026-11-01T04:00:00Z' },
    { name: 'Yesterday', from: '2026-10-30T04:00:00Z', to: '2026-10-31T04:00:00Z' },
    { name: 'This month', from: '2026-10-01T04:00:00Z', to: '2026-11-01T04:00:00Z' },
    { name: 'Last month', from: '2026-09-01T04:00:00Z', to: '2026-10-01T04:00:00Z' },
  ])
  expect(calendarRanges('UTC', Date.parse('2027-01-01T00:30:00Z')).slice(1)).toEqual([
    { name: 'Yesterday', from: '2026-12-31T00:00:00Z', to: '2027-01-01T00:00:00Z' },
    { name: 'This month', from: '2027-01-01T00:00:00Z', to: '2027-02-01T00:00:00Z' },
    { name: 'Last month', from: '2026-12-01T00:00:00Z', to: '2027-01-01T00:00:00Z' },
  ])
  const [, yesterday] = calendarRanges('Asia/Kolkata')
  expect(yesterday && rangeName(yesterday, 'Asia/Kolkata')).toBe('Yesterday')
})
