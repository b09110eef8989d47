import { expect, test } from 'vitest'
import { layersOf, stacked } from './stack'

test('the largest groups have layers, the others one together', () => {
  const parts = Array.from({ length: 10 }, (_, i) => ({ at: i % 2, name: `g${i}`, value: 10 - i }))
  const layers = layersOf(
    [...parts, { at: 1, name: 'g0', value: 5 }, { at: 7, name: 'g1', value: 1 }],
    [0, 1],
  )
  expect(layers.map(({ name }) => name)).toEqual(['g0', 'g1', 'g2', 'g3', 'g4', 'g5', 'g6', '3 others'])
  expect(layers[0]?.values).toEqual([10, 5])
  expect(layers[1]?.values).toEqual([0, 9])
  expect(layers[7]?.values).toEqual([2, 4])
})

test('layers stand on one another', () => {
  expect(
    stacked([
      { name: 'a', values: [1, 2] },
      { name: 'b', values: [10, 0] },
    ]),
  ).toEqual([
    [1, 2],
    [11, 2],
  ])
  expect(stacked([])).toEqual([])
})
