import { QueryClient } from '@tanstack/react-query'
import { afterEach, expect, test, vi } from 'vitest'
import { api } from '../api/client'
import { lastGoodQuery } from './lastgood'

afterEach(() => vi.restoreAllMocks())

const started = '2026-03-02T10:00:00Z'

/** Answers lists by what they are asked for. */
function answering(answer: (query: { tag?: string[]; q?: string }) => { id: string; title: string }[]) {
  return vi.spyOn(api, 'GET').mockImplementation(((_: string, init: { params: { query: { q?: string } } }) =>
    Promise.resolve({
      data: { items: answer(init.params.query), next: null },
      response: Response.json({}),
    })) as never)
}

const read = (tags: Record<string, string>, title: string) =>
  new QueryClient().query(lastGoodQuery({ id: 'bad', title, tags, started }))

test('the last good run has the same tags', async () => {
  const get = answering(({ tag }) => (tag === undefined ? [] : [{ id: 'good', title: 'Another' }]))
  expect(await read({ job: 'nightly' }, 'Fix it')).toBe('good')
  expect(get.mock.calls[0]?.[1]).toMatchObject({
    params: { query: { status: ['ok'], to: started, tag: ['job:nightly'] } },
  })
})

test('of those with the same tags it is one with the same title', async () => {
  answering(() => [
    { id: 'newer', title: 'Another' },
    { id: 'twin', title: 'Fix it' },
  ])
  expect(await read({ demo: 'yes' }, 'Fix it')).toBe('twin')
  expect(await read({ demo: 'yes' }, 'Something else')).toBe('newer')
})

test('else it has the same title, not one that contains it', async () => {
  answering(({ q }) =>
    q === 'Fix it'
      ? [
          { id: 'longer', title: 'Fix it again' },
          { id: 'same', title: 'Fix it' },
        ]
      : [],
  )
  expect(await read({ job: 'nightly' }, 'Fix it')).toBe('same')
  expect(await read({}, 'Something else')).toBeNull()
})
