import { expect, test } from 'vitest'
import { heightOf, rowHeight, rowsInSight, topShowing } from './rowwindow'

test('a short list is as tall as its rows', () => {
  expect(heightOf(100)).toBe(100 * rowHeight)
  expect(rowsInSight({ total: 100, view: 260, top: 0 })).toEqual({ first: 0, end: 11, at: 0 })
  expect(rowsInSight({ total: 100, view: 260, top: 39 })).toEqual({ first: 1, end: 13, at: 26 })
  expect(rowsInSight({ total: 3, view: 260, top: 0 })).toEqual({ first: 0, end: 3, at: 0 })
  expect(rowsInSight({ total: 0, view: 260, top: 0 })).toEqual({ first: 0, end: 0, at: 0 })
})

test.each([1_000, 1_000_000, 50_000_000])(
  'of %d rows the scrollbar reaches the first and the last',
  (total) => {
    const view = 620
    const end = heightOf(total) - view
    expect(heightOf(total)).toBeLessThanOrEqual(15_000_000)
    expect(rowsInSight({ total, view, top: 0 }).first).toBe(0)
    const last = rowsInSight({ total, view, top: end })
    expect(last.end).toBe(total)
    // The last row ends where the element does.
    expect(last.at + (total - last.first) * rowHeight).toBeCloseTo(heightOf(total), 3)
  },
)

test.each([100, 1_000_000])('of %d rows any is brought into sight, and one in sight stays', (total) => {
  const view = 620
  for (const row of [0, 1, 49, Math.floor(total / 3), total - 2, total - 1]) {
    const top = topShowing(row, { total, view, top: 0 })
    const { first, end } = rowsInSight({ total, view, top })
    expect(first).toBeLessThanOrEqual(row)
    expect(end).toBeGreaterThan(row)
    expect(topShowing(row, { total, view, top })).toBeCloseTo(top, 3)
  }
})
