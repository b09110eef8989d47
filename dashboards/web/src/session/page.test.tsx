// @vitest-environment jsdom
import { useQuery } from '@tanstack/react-query'
import { screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { api } from '../api/client'
import { loginQuery } from '../login/queries'
import { answering, renderAt } from '../testing/render'
import SessionPage from './page'

vi.mock('./views', () => ({ Views: () => null }))
vi.mock('./header', () => ({ SessionHeader: () => null }))
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

test('a session that does not exist is said once, without a retry, and a link leads to the others', async () => {
  const error = { title: 'Not found', status: 404, detail: 'There is no session "nosuch".' }
  const response = Response.json(error, { status: 404 })
  vi.spyOn(api, 'GET').mockResolvedValue({ error, response })
  renderAt('/sessions/nosuch', <SessionPage id="nosuch" />)
  expect((await screen.findByRole('alert')).textContent).toContain('There is no session "nosuch".')
  expect(screen.getByRole('link', { name: 'All sessions' }).getAttribute('href')).toBe('/')
  expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull()
})

test.each([
  ['read', 0],
  ['read:raw', 1],
])('with the scope %s a running session is followed over %i connections', async (scope, connections) => {
  const socket = vi.fn(function () {
    return { close: () => undefined }
  })
  vi.stubGlobal('WebSocket', socket)
  answering({
    '/v1/login': { tokens: true, principal: { scopes: [scope] } },
    '/v1/sessions/{id}': {
      ...{ id: 'demo', title: '', status: 'running', started: '2026-03-02T10:00:00Z', duration_ms: 4000 },
      ...{ frames: 2, streams: [] },
    },
    '/v1/sessions/{id}/timeline': { spans: [], usage: [], duration_ms: 4000 },
    '/v1/sessions/{id}/transcript': { items: [], next: null },
    '/v1/sessions/{id}/density': { frames: [], slice_ms: 10 },
    '/v1/sessions/{id}/notes': { items: [] },
    '/v1/alerts': { items: [], next: null },
  })
  function Page() {
    return useQuery(loginQuery).data === undefined ? null : <SessionPage id="demo" />
  }
  renderAt('/sessions/demo', <Page />)
  expect(await screen.findByRole('button', { name: connections === 0 ? 'Play' : 'Pause' })).toHaveProperty(
    'disabled',
    connections === 0,
  )
  expect(socket).toHaveBeenCalledTimes(connections)
  expect(screen.queryByText(/^Your login does not have the scope read:raw/) === null).toBe(connections === 1)
})
