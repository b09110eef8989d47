// @vitest-environment jsdom
import { screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { api } from '../api/client'
import { renderAt } from '../testing/render'
import { session } from '../testing/session'
import DeleteDialog from './deletedialog'

afterEach(() => vi.restoreAllMocks())

test('chosen sessions are deleted by one request, again after an error', async () => {
  const user = userEvent.setup()
  const busy = { error: { title: 'Busy', status: 503 }, response: new Response(null, { status: 503 }) }
  const taken = { data: {}, response: new Response(null, { status: 202 }) }
  const post = vi.spyOn(api, 'POST').mockResolvedValueOnce(busy).mockResolvedValue(taken)
  const deleted = vi.fn()
  const close = vi.fn()
  const sessions = ['one', 'two/2', 'three'].map((id) => session({ id }))
  renderAt('/', <DeleteDialog sessions={sessions} deleted={deleted} close={close} />)
  const button = screen.getByRole('button', { name: 'Delete 3 sessions' })
  await user.click(button)
  expect(await screen.findByText('Busy')).toBeTruthy()
  expect([deleted.mock.calls.length, close.mock.calls.length]).toEqual([0, 0])
  await user.click(button)
  await waitFor(() => expect([deleted.mock.calls.length, close.mock.calls.length]).toEqual([1, 1]))
  const asked = ['/v1/erasures', { body: { sessions: ['one', 'two/2', 'three'], unknown: true } }]
  expect(post.mock.calls).toEqual([asked, asked])
})
