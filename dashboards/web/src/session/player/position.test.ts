import { expect, test } from 'vitest'
import { nanoseconds, offsetOf, offsetOfTime, timeAfter } from './position'

test.each([
  ['2026-01-02T03:04:05Z', 1_767_323_045_000_000_000n],
  ['2026-01-02T03:04:05.012345678Z', 1_767_323_045_012_345_678n],
  ['2026-01-02T03:04:05.5Z', 1_767_323_045_500_000_000n],
])('%s in nanoseconds', (time, want) => expect(nanoseconds(time)).toBe(want))

test('a position has its offset to the nanosecond', () => {
  const started = '2026-01-02T03:04:05.012345678Z'
  const id = '019b7d3c-0000-7000-8000-000000000000'
  expect(offsetOf(`1767323045012345678.${id}.0`, started)).toBe(0)
  expect(offsetOf(`1767323046512345679.${id}.9`, started)).toBe(1500.000001)
  expect(offsetOf('yesterday', started)).toBeNaN()
})

test('a time has its offset to the nanosecond', () => {
  expect(offsetOfTime('2026-01-02T03:04:05.005900Z', '2026-01-02T03:04:05.0001Z')).toBe(5.8)
  expect(offsetOfTime('2026-01-02T03:04:15.0001Z', '2026-01-02T03:04:05.000900001Z')).toBe(9999.199999)
  expect(offsetOfTime('2026-01-02T03:04:04Z', '2026-01-02T03:04:05Z')).toBe(-1000)
})

test('a range to just after an offset has the frame there', () => {
  const started = '2026-01-02T03:04:05.012345678Z'
  expect(timeAfter(started, 0)).toBe('2026-01-02T03:04:05.012345679Z')
  expect(timeAfter(started, 1500.000001)).toBe('2026-01-02T03:04:06.512345680Z')
  expect(timeAfter('2026-12-31T23:59:59Z', 1000)).toBe('2027-01-01T00:00:00.000000001Z')
})
