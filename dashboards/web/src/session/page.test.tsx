// @vitest-environment jsdom
import { screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { api } from '../api/client'
import { renderAt } from '../testing/render'
import SessionPage from './page'

afterEach(() => vi.restoreAllMocks())

test('one request shows that a session does not exist, and a link leads to the others', async () => {
  const error = { title: 'Not found', status: 404, detail: 'There is no session "nosuch".' }
  const response = Response.json(error, { status: 404 })
  const get = vi.spyOn(api, 'GET').mockResolvedValue({ error, response })
  renderAt('/sessions/nosuch', <SessionPage id="nosuch" />)
  expect((await screen.findByRole('alert')).textContent).toContain('There is no session "nosuch".')
  expect(screen.getByRole('link', { name: 'All sessions' }).getAttribute('href')).toBe('/')
  expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull()
  expect(get.mock.calls.map((call: unknown[]) => call[0])).toEqual(['/v1/sessions/{id}'])
})
