// @vitest-environment jsdom
import { screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { useState } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { api } from '../api/client'
import { everything, type Filter } from '../filters/filter'
import { turnOffPolls } from '../testing/polls'
import { renderAt } from '../testing/render'
import { session } from '../testing/session'
import { useBothEnds, useListRows } from './bothends'

turnOffPolls()

afterEach(() => vi.restoreAllMocks())

/** Has the API list the sessions s0 to s249, by their start, a page of 100 at a time. Returns what was asked of it. */
function serving(): string[] {
  const asked: string[] = []
  const all = Array.from({ length: 250 }, (_, i) => session({ id: `s${i}` }))
  const get = (_: string, init: { params: { query: { sort: string; limit: number; cursor?: string } } }) => {
    const { sort, limit, cursor = '0' } = init.params.query
    asked.push(`${sort} ${cursor}`)
    const sorted = sort.startsWith('-') ? all.toReversed() : all
    const to = Number(cursor) + limit
    const data = { items: sorted.slice(Number(cursor), to), next: to < all.length ? String(to) : null }
    return Promise.resolve({ data, response: Response.json({}) })
  }
  vi.spyOn(api, 'GET').mockImplementation(get as never)
  return asked
}

const none: never[] = []

/** What is loaded of a list, and buttons that load more of it. */
function List() {
  const [filter, change] = useState<Filter>({ ...everything, sort: 'started' })
  const { rows, gap, whole, beginning, end, wantEnd } = useListRows(useBothEnds(filter), none)
  return (
    <>
      <output>{`${rows[0]?.id} to ${rows.at(-1)?.id}: ${rows.length}, gap ${gap}${whole ? ', whole' : ''}`}</output>
      <button onClick={wantEnd}>End</button>
      <button onClick={() => end.more?.()}>Up</button>
      <button onClick={() => beginning.more?.()}>Down</button>
      <button onClick={() => change({ ...filter, q: 'other' })}>Filter</button>
    </>
  )
}

const shown = (text: string) => waitFor(() => expect(screen.getByRole('status').textContent).toBe(text))
const press = (name: string) => userEvent.click(screen.getByRole('button', { name }))

test('the end of a list is one request in the reverse order, and both ends grow until they meet', async () => {
  const asked = serving()
  renderAt('/', <List />)
  await shown('s0 to s99: 100, gap -1')
  await press('End')
  await shown('s0 to s249: 201, gap 100') // 100 of each end and what stands for those between
  expect(asked).toEqual(['started 0', '-started 0'])
  await press('Up')
  await shown('s0 to s249: 250, gap -1, whole')
  await press('Up')
  await press('Down')
  expect(asked).toEqual(['started 0', '-started 0', '-started 100'])
})

test('the beginning grows to the end too', async () => {
  const asked = serving()
  renderAt('/', <List />)
  await shown('s0 to s99: 100, gap -1')
  await press('End')
  await shown('s0 to s249: 201, gap 100')
  await press('Down')
  await shown('s0 to s249: 250, gap -1, whole')
  expect(asked).toEqual(['started 0', '-started 0', 'started 100'])
})

test('another filter has its end loaded only when it is asked for', async () => {
  const asked = serving()
  renderAt('/', <List />)
  await shown('s0 to s99: 100, gap -1')
  await press('End')
  await shown('s0 to s249: 201, gap 100')
  await press('Filter')
  await shown('s0 to s99: 100, gap -1')
  expect(asked).toEqual(['started 0', '-started 0', 'started 0'])
})
