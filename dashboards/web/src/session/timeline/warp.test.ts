import { expect, test } from 'vitest'
import { span } from '../conversation/messages.fixture'
import { silencesOf, straight, warpOf } from './warp'

// 100 s in slices of 1 s: frames at 0 s, from 40 s to 50 s and at 99 s.
const frames = Array.from({ length: 100 }, (_, i) => (i === 0 || (i >= 40 && i < 50) || i === 99 ? 1 : 0))
const density = { frames, slice_ms: 1000 } as Parameters<typeof silencesOf>[0]

test('silent is when nothing arrives and nothing is called', () => {
  expect(silencesOf(density, [], 100_000)).toEqual([
    { from: 1000, to: 40_000 },
    { from: 50_000, to: 99_000 },
  ])
  const run = span({
    kind: 'run',
    duration_ms: 100_000,
    children: [
      span({ id: 'tool', start_ms: 20_000, duration_ms: 18_000 }),
      span({ id: 'hung', kind: 'llm', start_ms: 70_000, duration_ms: null, status: 'open', open: true }),
    ],
  })
  // The 2 s after the tool are too short.
  expect(silencesOf(density, [run], 100_000)).toEqual([
    { from: 1000, to: 20_000 },
    { from: 50_000, to: 70_000 },
  ])
})

test('folded silences take little room, and every moment has its place', () => {
  // Of 100 s, 88 are silent; a fold takes 3 % of the 12 that are not.
  const warp = warpOf(silencesOf(density, [], 100_000), 0, 100_000)
  expect(warp.folds.map(({ at, width }) => [at, width])).toEqual([
    [1000, 360],
    [11_360, 360],
  ])
  expect(warp.draw(500)).toBe(500)
  expect(warp.draw(20_500)).toBeCloseTo(1180)
  expect(warp.draw(45_000)).toBe(6360)
  expect(warp.draw(100_000)).toBe(12_720)
  for (const ms of [-50, 0, 999, 1000, 12_345, 40_000, 49_999, 77_000, 100_000, 120_000])
    expect(warp.moment(warp.draw(ms))).toBeCloseTo(ms, 6)
})

test('nothing is folded of what has no silence, or nothing else', () => {
  expect(warpOf([], 0, 1000)).toBe(straight)
  expect(warpOf([{ from: 0, to: 1000 }], 0, 1000)).toBe(straight)
})
