import { expect, test } from 'vitest'
import { fieldOf, rangeName } from './range'

const zone = 'Europe/Berlin'

test.each([
  ['now-7d', '', 'Last 7 days'],
  ['', '', 'All time'],
  ['now-3d', '', 'since now-3d'],
  ['2026-03-01T10:00:00Z', '', 'since 2026-03-01 11:00'],
  ['', '2026-03-01T10:00:00Z', 'until 2026-03-01 11:00'],
  ['2026-03-01', '2026-07-01T10:00:00.000Z', '2026-03-01 – 2026-07-01 12:00'],
])('from %s to %s is %s', (from, to, want) => expect(rangeName({ from, to }, zone)).toBe(want))

test('fields', () => {
  const now = Date.parse('2026-03-28T22:00:00Z')
  expect(fieldOf('now-24h', zone, now)).toBe('2026-03-27T23:00')
  expect(fieldOf('2026-03-28T22:00:00Z', zone, now)).toBe('2026-03-28T23:00')
  expect(fieldOf('', zone, now)).toBe('')
  expect(fieldOf('nonsense', zone, now)).toBe('')
})
