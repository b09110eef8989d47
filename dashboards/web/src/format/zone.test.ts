import { expect, test } from 'vitest'
import { atWallClock, isZone, wallClock } from './zone'

test.each([
  ['2026-01-15T12:00:00Z', 'Europe/Berlin', '2026-01-15T13:00:00'],
  ['2026-07-15T12:00:00Z', 'Europe/Berlin', '2026-07-15T14:00:00'],
  ['2026-07-15T23:30:09Z', 'Asia/Kathmandu', '2026-07-16T05:15:09'],
  ['2026-01-01T02:00:00Z', 'America/New_York', '2025-12-31T21:00:00'],
])('at %s clocks of %s show %s', (at, zone, shown) => {
  expect(wallClock(new Date(at), zone)).toBe(shown)
  expect(atWallClock(shown, zone).toISOString()).toBe(new Date(at).toISOString())
})

test.each([
  ['2026-03-29', 'Europe/Berlin', '2026-03-28T23:00:00.000Z'],
  ['2026-03-30', 'Europe/Berlin', '2026-03-29T22:00:00.000Z'],
  ['2026-03-29T02:30', 'Europe/Berlin', '2026-03-29T01:30:00.000Z'], // clocks go from 2 to 3
  ['2026-10-25T02:30', 'Europe/Berlin', '2026-10-25T00:30:00.000Z'], // the first of two
  ['2026-11-01T01:30', 'America/New_York', '2026-11-01T05:30:00.000Z'],
])('%s in %s is at %s', (shown, zone, at) => expect(atWallClock(shown, zone).toISOString()).toBe(at))

test('zones', () => {
  expect(isZone('Europe/Berlin')).toBe(true)
  expect(isZone('Europe/Nowhere')).toBe(false)
})
