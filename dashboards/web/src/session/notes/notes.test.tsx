// @vitest-environment jsdom
import { useQuery } from '@tanstack/react-query'
import { screen, waitFor, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { api, type Schemas } from '../../api/client'
import { loginQuery } from '../../login/queries'
import { answering, renderAt } from '../../testing/render'
import { PlayerContext } from '../player/context'
import type { Player } from '../player/player'
import Notes from './notes'

afterEach(() => vi.restoreAllMocks())

const session = { id: 's', started: '2026-03-02T10:00:00.0001Z', duration_ms: 10 } as Schemas['SessionDetail']

function Shown() {
  useQuery(loginQuery)
  return <Notes session={session} />
}

test('a note leads to its frame, and is deleted once that is confirmed', async () => {
  const note = {
    ...{ id: '1', session_id: 's', span_id: null, at: '2026-03-02T10:00:00.0059Z', text: 'wrong' },
    ...{ labels: [], thumb: null, author: 'ops', written_at: session.started, changed_at: session.started },
  }
  answering({
    '/v1/sessions/{id}/notes': { items: [note] },
    '/v1/login': { tokens: true, principal: { scopes: ['admin'] } },
  })
  const remove = vi.spyOn(api, 'DELETE').mockResolvedValue({ response: new Response(null, { status: 204 }) })
  const state = { offset: 0, duration: 10, running: false, live: false }
  const player = { state: () => state, subscribe: () => () => undefined, seek: vi.fn() }
  renderAt(
    '/sessions/s',
    <PlayerContext value={player as unknown as Player}>
      <Shown />
    </PlayerContext>,
  )
  const user = userEvent.setup()
  await user.click(await screen.findByRole('button', { name: 'Go to 0:00.005' }))
  expect(player.seek).toHaveBeenCalledWith(5.8)
  await user.click(await screen.findByRole('button', { name: 'Delete the note wrong' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Delete the note of ops?' }))
  expect(remove).not.toHaveBeenCalled()
  await user.click(dialog.getByRole('button', { name: 'Delete the note' }))
  expect(remove).toHaveBeenCalledOnce()
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
})
