import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { loaded } from './part'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('code that does not come is asked for again, at most every half minute', async () => {
  const asked: number[] = []
  const part = loaded(() => {
    asked.push(Date.now())
    return asked.length < 9 ? Promise.reject(new Error('no server')) : Promise.resolve('the code')
  })
  await vi.runAllTimersAsync()
  expect(await part).toBe('the code')
  const pauses = asked.slice(1).map((at, i) => at - (asked[i] ?? 0))
  expect(pauses).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000])
})
