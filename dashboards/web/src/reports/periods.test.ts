import { expect, test } from 'vitest'
import { periodName, periodStarts } from './periods'

const zone = 'Europe/Berlin'
const open = { from: null, to: null }
const from = (...starts: string[]) => starts.map((period_start) => ({ period_start }))
const iso = (times: number[]) => times.map((at) => new Date(at).toISOString().slice(0, 16))

test('days without any usage are there, as long as they are', () => {
  expect(iso(periodStarts(from('2026-03-30T22:00:00Z', '2026-03-27T23:00:00Z'), open, 'day', zone))).toEqual([
    '2026-03-27T23:00',
    '2026-03-28T23:00', // of 23 hours
    '2026-03-29T22:00',
    '2026-03-30T22:00',
  ])
})

test('months and hours', () => {
  expect(
    iso(periodStarts(from('2025-11-30T23:00:00Z', '2026-02-28T23:00:00Z'), open, 'month', zone)),
  ).toEqual(['2025-11-30T23:00', '2025-12-31T23:00', '2026-01-31T23:00', '2026-02-28T23:00'])
  expect(periodStarts(from('2026-03-28T23:00:00Z', '2026-03-29T03:00:00Z'), open, 'hour', zone)).toHaveLength(
    5,
  )
  expect(periodStarts([{ period_start: null }], open, 'day', zone)).toEqual([])
})

test('a range has all of its periods', () => {
  const rows = from('2026-03-29T22:00:00Z')
  const range = { from: '2026-03-28T17:45:10Z', to: '2026-04-01T00:00:00Z' }
  expect(iso(periodStarts(rows, range, 'day', zone))).toEqual([
    '2026-03-27T23:00',
    '2026-03-28T23:00',
    '2026-03-29T22:00',
    '2026-03-30T22:00',
    '2026-03-31T22:00',
  ])
  expect(iso(periodStarts(rows, range, 'month', zone))).toEqual(['2026-02-28T23:00', '2026-03-31T22:00'])
  const hours = periodStarts(rows, { from: range.from, to: '2026-03-28T20:00:00Z' }, 'hour', 'Asia/Kathmandu')
  expect(iso(hours.slice(0, 2))).toEqual(['2026-03-28T17:15', '2026-03-28T18:15'])
})

test('weeks begin on Mondays, and quarters of an hour as clocks show them', () => {
  const range = { from: '2026-03-25T12:00:00Z', to: '2026-04-07T00:00:00Z' }
  expect(iso(periodStarts(from('2026-03-22T23:00:00Z'), range, 'week', zone))).toEqual([
    '2026-03-22T23:00',
    '2026-03-29T22:00', // after the change of clocks
    '2026-04-05T22:00',
  ])
  const quarters = { from: '2026-03-28T17:50:10Z', to: '2026-03-28T18:20:00Z' }
  expect(iso(periodStarts(from('2026-03-28T18:00:00Z'), quarters, '15m', 'Asia/Kathmandu'))).toEqual([
    '2026-03-28T17:45',
    '2026-03-28T18:00',
    '2026-03-28T18:15',
  ])
})

test('names', () => {
  const at = Date.parse('2026-03-28T23:00:00Z')
  expect(periodName(at, 'hour', zone)).toBe('29 Mar, 00:00')
  expect(periodName(at, '15m', zone)).toBe('29 Mar, 00:00')
  expect(periodName(at, 'week', zone)).toBe('29 Mar')
  expect(periodName(at, 'day', zone)).toBe('29 Mar')
  expect(periodName(at, 'month', zone)).toBe('Mar 2026')
})
