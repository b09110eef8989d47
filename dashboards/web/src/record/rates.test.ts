import { expect, test } from 'vitest'
import { look, type SessionStream } from './rates'

const item = (id: string, frames: number, bytes: number) =>
  ({ session_id: 's', stream: { stream_id: id, frames, bytes } }) as SessionStream

test('rates are those between two looks', () => {
  const first = look([item('a', 10, 100)], 1000, undefined)
  expect(first.streams[0]).toMatchObject({ framesPerSecond: null, bytesPerSecond: null })
  const second = look([item('b', 5, 5), item('a', 30, 500)], 3000, first)
  expect(second.streams.map((one) => [one.framesPerSecond, one.bytesPerSecond])).toEqual([
    [null, null],
    [10, 200],
  ])
})
