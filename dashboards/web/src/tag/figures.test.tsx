// @vitest-environment jsdom
import { screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { api } from '../api/client'
import { everything } from '../filters/filter'
import { renderAt } from '../testing/render'
import { Figures } from './figures'

afterEach(() => vi.restoreAllMocks())

test('a few failed sessions of many are not 0 %', async () => {
  vi.spyOn(api, 'GET').mockImplementation(((
    _: string,
    { params }: { params: { query: { status?: string[] } } },
  ) => {
    const sessions = params.query.status === undefined ? 1000 : 3
    return Promise.resolve({ data: { sessions, more: false, spent: null }, response: Response.json({}) })
  }) as never)
  renderAt('/tag', <Figures filter={everything} />)
  expect(await screen.findByText('0.3 % of the sessions')).toBeTruthy()
})
