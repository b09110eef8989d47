// @vitest-environment jsdom
import { screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { api } from '../api/client'
import { renderAt } from '../testing/render'
import { session } from '../testing/session'
import { SessionsPage } from './page'
import type { Session } from './rows'

afterEach(() => vi.restoreAllMocks())

/** Has the API list sessions by the statuses that are asked for. */
function serving(sessions: readonly Session[]) {
  const get = (route: string, init?: { params?: { query?: { status?: string[] } } }) => {
    const asked = init?.params?.query?.status
    const items = sessions.filter(({ status }) => asked === undefined || asked.includes(status))
    const data =
      route === '/v1/sessions'
        ? { items, next: null }
        : route === '/v1/totals'
          ? { sessions: items.length, more: false, spent: null }
          : { agents: [], tools: [], models: [], dialects: [], tags: [] }
    return Promise.resolve({ data, response: Response.json({}) })
  }
  vi.spyOn(api, 'GET').mockImplementation(get as never)
}

test('the number of sessions that fit is shown', async () => {
  serving([session({ id: 'one' }), session({ id: 'two' })])
  renderAt('/', <SessionsPage />)
  expect((await screen.findByRole('status', { name: 'All that fit' })).textContent).toBe('2 sessions')
})

test('a filter that excludes running sessions leaves none of them', async () => {
  serving([
    session({ id: 'live', status: 'running' }),
    session({ id: 'hung', status: 'quiet', silent_ms: 60_000 }),
    session({ id: 'failed', status: 'error' }),
  ])
  renderAt('/', <SessionsPage />)
  await screen.findByText('1 session quiet')
  await screen.findByText('1 running')
  const user = userEvent.setup()
  await user.click(screen.getByRole('button', { name: 'Filter' }))
  await user.click(screen.getByRole('option', { name: 'Status' }))
  await user.click(screen.getByLabelText('error'))
  await waitFor(() => expect(screen.getByRole('table').getAttribute('aria-rowcount')).toBe('2'))
  expect(screen.queryByText(/^1 (session )?(running|quiet)$/)).toBeNull()
})
