import { expect, test } from 'vitest'
import { columnIds, nextSort, sortedAs } from './columns'

test('a head sorts by its column, and once more the other way round', () => {
  expect(nextSort('-started', 'duration')).toBe('-duration')
  expect(nextSort('-duration', 'duration')).toBe('duration')
  expect(nextSort('duration', 'duration')).toBe('-duration')
  expect(sortedAs('-duration', 'duration')).toBe('descending')
  expect(sortedAs('duration', 'duration')).toBe('ascending')
  expect(sortedAs('duration', undefined)).toBe('none')
})

test('columns of an address are known ones, each once and in their order', () => {
  expect(columnIds(['model', 'price', 'status', 'model', 7])).toEqual(['model', 'status'])
})
