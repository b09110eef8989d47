import { expect, test } from 'vitest'
import { nextSort, sortedAs } from './columns'

test('a head sorts by its column, and once more the other way round', () => {
  expect(nextSort('-started', 'duration')).toBe('-duration')
  expect(nextSort('-duration', 'duration')).toBe('duration')
  expect(nextSort('duration', 'duration')).toBe('-duration')
  expect(sortedAs('-duration', 'duration')).toBe('descending')
  expect(sortedAs('duration', 'duration')).toBe('ascending')
  expect(sortedAs('duration', undefined)).toBe('none')
})
