import { expect, test } from 'vitest'
import { bars, framesAt, silences } from './density'

const density = (frames: number[], slice = 100) => ({
  ...{ session_id: 's', started: '', duration_ms: frames.length * slice, slice_ms: slice },
  ...{ frames, first: frames.map(() => null) },
})

test('bars', () => {
  expect([...bars(density([1, 0, 7, 1]), 400, 4)]).toEqual([
    expect.closeTo(1 / 3),
    0,
    1,
    expect.closeTo(1 / 3),
  ])
  expect([...bars(density([1, 0, 7, 0]), 400, 2)]).toEqual([expect.closeTo(1 / 3), 1])
  expect([...bars(density([1, 1]), 400, 4)]).toEqual([1, 1, 0, 0])
  expect([...bars(density([3], 0.000001), 0, 3)]).toEqual([1, 0, 0])
  expect([...bars(density([]), 0, 2)]).toEqual([0, 0])
})

test('a bar that holds little beside one that holds much is seen', () => {
  expect(bars(density([1, 1e6]), 200, 2)[0]).toBeCloseTo(0.12)
})

test('how many frames there are around a moment', () => {
  const d = density([1, 0, 7])
  expect([0, 99, 100, 250, 300, 9000].map((ms) => framesAt(d, ms))).toEqual([1, 1, 0, 7, 0, 0])
})

test('silences that are longer than the limit', () => {
  const d = density([1, 0, 0, 0, 1, 0, 1, 0, 0])
  expect(silences(d, 150)).toEqual([
    { from: 100, to: 400 },
    { from: 700, to: 900 },
  ])
  expect(silences(d, 300)).toEqual([])
})
