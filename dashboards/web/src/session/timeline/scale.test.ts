import { describe, expect, test } from 'vitest'
import { span } from '../conversation/messages.fixture'
import { extentOf, rowsOf } from './rows'
import { between, following, isWhole, pan, tickName, ticks, warpedTicks, within, zoom } from './scale'
import { warpOf } from './warp'

const all = { from: 0, to: 1000 }

describe('a part of the time', () => {
  test.each([
    ['half, around its middle', zoom(all, all, 0.5, 500), { from: 250, to: 750 }],
    ['half, around its start', zoom(all, all, 0.5, 0), { from: 0, to: 500 }],
    [
      'what is pointed at stays in its place',
      zoom({ from: 200, to: 600 }, all, 0.5, 300),
      { from: 250, to: 450 },
    ],
    ['no wider than all', zoom({ from: 200, to: 600 }, all, 10, 300), all],
    ['no closer than can be seen', zoom(all, all, 0, 500), { from: 499.975, to: 500.025 }],
    ['moved on', pan({ from: 200, to: 600 }, all, 100), { from: 300, to: 700 }],
    ['moved as far as it goes', pan({ from: 200, to: 600 }, all, 900), { from: 600, to: 1000 }],
    ['moved back to the start', pan({ from: 200, to: 600 }, all, -900), { from: 0, to: 400 }],
    ['between two moments', between(600, 200, all), { from: 200, to: 600 }],
    ['of nothing', within({ from: 5, to: 5 }, { from: 0, to: 0 }), { from: 0, to: 0 }],
  ])('%s', (_, got, want) => {
    expect(got.from).toBeCloseTo(want.from, 9)
    expect(got.to).toBeCloseTo(want.to, 9)
  })
})

test.each([
  ['in sight', 300, 500, null],
  ['gone on out of sight', 599, 610, { from: 590, to: 990 }],
  ['gone back out of sight', 599, 50, { from: 30, to: 430 }],
  ['near the end of all there is', 599, 990, { from: 600, to: 1000 }],
  ['out of sight before', 100, 700, null],
])('a moment that is %s is followed', (_, before, moment, want) => {
  expect(following({ from: 200, to: 600 }, all, before, moment)).toEqual(want)
})

test('closer and back is all again', () => {
  const odd = { from: 0, to: 6002.025127 }
  const close = zoom(odd, odd, 0.5, 4000.3)
  expect([isWhole(close, odd), isWhole(zoom(close, odd, 2, 4000.3), odd)]).toEqual([false, true])
})

test.each([
  [{ from: 0, to: 1000 }, 5, [0, 200, 400, 600, 800, 1000]],
  [{ from: 130, to: 610 }, 5, [200, 300, 400, 500, 600]],
  [{ from: 0, to: 6002 }, 8, [0, 1000, 2000, 3000, 4000, 5000, 6000]],
  [{ from: 0, to: 90_000 }, 4, [0, 30_000, 60_000, 90_000]],
  [{ from: -5, to: 5 }, 2, [-5, 0, 5]],
])('ticks of %j', (range, most, want) => expect(ticks(range, most).at).toEqual(want))

test('ticks are few, however long the time is', () => {
  for (const to of [0.01, 1, 1e3, 1e6, 1e9, 1e12])
    expect(ticks({ from: 0, to }, 6).at.length).toBeLessThanOrEqual(8)
})

test.each([
  [0, 100, '0'],
  [12.5, 0.5, '12.5 ms'],
  [400, 200, '400 ms'],
  [4250, 50, '4.25 s'],
  [61_500, 500, '1:01.500'],
  [65_000, 5000, '1:05'],
  [3_750_000, 30_000, '1:02:30'],
])('%d by %d is %s', (at, step, want) => expect(tickName(at, step)).toBe(want))

test('rows of a tree, without what is folded', () => {
  const tree = [
    span({
      id: 'a',
      children: [
        span({ id: 'b', children: [span({ id: 'c' })] }),
        span({ id: 'd', start_ms: 7, duration_ms: 9 }),
      ],
    }),
    span({ id: 'e', start_ms: -2 }),
  ]
  const rows = (folded: string[]) =>
    rowsOf(tree, new Set(folded)).map(({ span, depth }) => `${span.id}${depth}`)
  expect(rows([])).toEqual(['a0', 'b1', 'c2', 'd1', 'e0'])
  expect(rows(['b'])).toEqual(['a0', 'b1', 'd1', 'e0'])
  expect(rows(['a', 'c'])).toEqual(['a0', 'e0'])
  expect(extentOf(rowsOf(tree, new Set()), 10, null)).toEqual({ from: -2, to: 16 })
})

test('ticks stand outside of what is folded, and not too close to each other', () => {
  // 0 to 10 s, and from 100 s to 110 s, with 600 ms between them.
  const warp = warpOf([{ from: 10_000, to: 100_000 }], 0, 110_000)
  const range = { from: 0, to: warp.draw(110_000) }
  expect(range.to).toBe(20_600)
  expect(warpedTicks(range, warp, 10)).toEqual({
    // The name of 10 s would stand in the fold.
    at: [0, 5000, 100_000, 105_000, 110_000],
    step: 5000,
  })
  expect(warpedTicks(all, warpOf([], 0, 1000), 10)).toEqual(ticks(all, 10))
})
