import { expect, test } from 'vitest'
import { arrivedBy, comparePositions } from './marks'

const frames = [
  { position: '900.a.0', offset_ms: 0 },
  { position: '1000.a.9', offset_ms: 1 },
  { position: '1000.a.10', offset_ms: 1 },
  { position: '1000.b.2', offset_ms: 1 },
  { position: '1795307478198911241.a.11', offset_ms: 7 },
]

test.each([
  ['900.a.0', -0.1, 1],
  ['1000.a.9', 99, 2],
  ['1000.a.10', 0, 3],
  ['1000.a.11', 0, 3],
  ['1000.b.1', 0, 3],
  ['1795307478198911240.z.99', 0, 4],
  ['1795307478198911241.a.11', 0, 5],
  [null, -1, 0],
  [null, 0.5, 1],
  [null, 1, 4],
  [null, 7, 5],
])('by the frame at %s or else by %d ms %d frames had arrived', (position, offset, want) => {
  expect(arrivedBy(frames, { position, offset })).toBe(want)
})

test('positions are in order of time, stream, number', () => {
  const positions = frames.map(({ position }) => position)
  expect([...positions].reverse().sort(comparePositions)).toEqual(positions)
})
