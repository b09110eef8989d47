import { expect, test } from 'vitest'
import { corrected, momentAt, type Clock } from './clock'

const clock: Clock = { offset: 1000, at: 50, speed: 2, ceiling: 3000 }

test.each([
  ['at its start', 50, 1000],
  ['a while later', 150, 1200],
  ['at its ceiling', 5000, 3000],
  ['before its start', 0, 1000],
])('the moment %s', (_, now, want) => expect(momentAt(clock, now)).toBe(want))

test('the moment stays where it is while the clock stands, even beyond the ceiling', () => {
  expect(momentAt({ ...clock, speed: 0, ceiling: 500 }, 9000)).toBe(1000)
})

test.each([
  ['behind the server follows it', 1500, 1500],
  ['a little ahead goes on', 1080, 1100],
  ['far ahead is set back', 100, 100],
])('a clock that is %s', (_, offset, want) => expect(corrected(clock, offset, 100, 50)).toBe(want))
