import { expect, test } from 'vitest'
import { anyEnded, rowsOf, type Session } from './rows'

const session = (id: string, frames = 0) => ({ id, frames }) as Session

test('running sessions come first, each is there once, with its latest counts', () => {
  const rows = rowsOf(
    [session('c', 9)],
    [
      [session('a'), session('b')],
      [session('c', 5), session('a'), session('d')],
    ],
  )
  expect(rows.map(({ id, frames }) => `${id}${frames}`)).toEqual(['c9', 'a0', 'b0', 'd0'])
})

test('that a session ended is noticed', () => {
  expect(anyEnded([session('a')], [session('b'), session('a')])).toBe(false)
  expect(anyEnded([session('a'), session('b')], [session('a')])).toBe(true)
})
