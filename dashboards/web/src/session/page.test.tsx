// @vitest-environment jsdom
import { screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { api } from '../api/client'
import { renderAt } from '../testing/render'
import SessionPage from './page'

afterEach(() => vi.restoreAllMocks())

test('a session that does not exist is said once, without a retry, and a link leads to the others', async () => {
  const error = { title: 'Not found', status: 404, detail: 'There is no session "nosuch".' }
  const response = Response.json(error, { status: 404 })
  vi.spyOn(api, 'GET').mockResolvedValue({ error, response })
  renderAt('/sessions/nosuch', <SessionPage id="nosuch" />)
  expect((await screen.findByRole('alert')).textContent).toContain('There is no session "nosuch".')
  expect(screen.getByRole('link', { name: 'All sessions' }).getAttribute('href')).toBe('/')
  expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull()
})
