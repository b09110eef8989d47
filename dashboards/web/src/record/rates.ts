import type { Schemas } from '../api/client'

export type SessionStream = Schemas['StreamPage']['items'][number]

/** A stream with how fast it came between the last two looks; null at the first. */
export interface LiveStream extends SessionStream {
  framesPerSecond: number | null
  bytesPerSecond: number | null
}

/** What streams were like at a time, ms. */
export interface Look {
  at: number
  streams: readonly LiveStream[]
}

export function keyOf({ session_id, stream }: SessionStream): string {
  return `${stream.stream_id} ${session_id}`
}

/** The streams with their rates since the look before. */
export function look(items: readonly SessionStream[], at: number, before: Look | undefined): Look {
  const known = new Map(before?.streams.map((one) => [keyOf(one), one.stream]))
  const seconds = before === undefined ? 0 : (at - before.at) / 1000
  return {
    at,
    streams: items.map((item) => {
      const was = known.get(keyOf(item))
      const rate = (now: number, then: number | undefined) =>
        then === undefined || seconds <= 0 ? null : Math.max(0, now - then) / seconds
      return {
        ...item,
        framesPerSecond: rate(item.stream.frames, was?.frames),
        bytesPerSecond: rate(item.stream.bytes, was?.bytes),
      }
    }),
  }
}
