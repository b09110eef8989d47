import { expect, it } from 'vitest'
import { answer } from './answers'
import type { Recording } from './recording'

const frame = (n: number, type: string, direction = 'receive') => ({
  position: `${n}.s.${n}`,
  offset_ms: n * 10,
  type,
  direction,
})

const recording = {
  session: { id: 'a session' },
  timeline: { spans: [] },
  transcript: [{ id: 'm' }],
  density: { frames: [5] },
  frames: [frame(0, 'x'), frame(1, 'y'), frame(2, 'x', 'send'), frame(3, 'x'), frame(4, 'y')],
} as unknown as Recording

function ask(path: string): Promise<unknown> {
  return answer(recording, new Request(`http://file/v1/sessions/a%20session${path}`)).json()
}

it('answers from the recording', async () => {
  expect(await ask('')).toEqual({ id: 'a session' })
  expect(await ask('/timeline')).toEqual({ spans: [] })
  expect(await ask('/transcript?chunks=1&limit=5000')).toEqual({ items: [{ id: 'm' }], next: null })
  expect(await ask('/density?slices=1000')).toEqual({ frames: [5] })
  expect(await ask('/frames/2.s.2')).toEqual(frame(2, 'x', 'send'))
})

it('lists frames in pages, by type and direction', async () => {
  const positions = async (path: string) => {
    const { items, next } = (await ask(path)) as { items: { position: string }[]; next: string | null }
    return [...items.map(({ position }) => position), next]
  }
  expect(await positions('/frames?limit=2')).toEqual(['0.s.0', '1.s.1', '1.s.1'])
  expect(await positions('/frames?limit=2&cursor=1.s.1')).toEqual(['2.s.2', '3.s.3', '3.s.3'])
  expect(await positions('/frames?limit=2&cursor=3.s.3')).toEqual(['4.s.4', null])
  expect(await positions('/frames?type=x&direction=receive&limit=9')).toEqual(['0.s.0', '3.s.3', null])
  expect(await positions('/frames?type=x&type=y&limit=9&cursor=2.s.2')).toEqual(['3.s.3', '4.s.4', null])
  // No frame is at that position.
  expect(await positions('/frames?limit=2&cursor=1.s.9')).toEqual(['2.s.2', '3.s.3', '3.s.3'])
  // The last frame is no item: no page begins after it.
  expect(await ask('/frames/index?every=2')).toEqual({
    total: 5,
    every: 2,
    items: [
      { position: '1.s.1', offset_ms: 10 },
      { position: '3.s.3', offset_ms: 30 },
    ],
  })
  expect(await ask('/frames/index?every=5')).toEqual({ total: 5, every: 5, items: [] })
  expect(await ask('/frames/types')).toEqual({
    items: [
      { type: 'x', direction: 'receive', frames: 2 },
      { type: 'y', direction: 'receive', frames: 2 },
      { type: 'x', direction: 'send', frames: 1 },
    ],
  })
})

it('has a problem for what the file does not hold', async () => {
  for (const path of ['/v1/login', '/v1/sessions/x/emulation', '/v1/sessions/x/frames/9.s.9']) {
    const response = answer(recording, new Request(`http://file${path}`))
    expect(response.status, path).toBe(404)
    expect(await response.json()).toMatchObject({ status: 404 })
  }
})
