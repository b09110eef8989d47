// @vitest-environment jsdom
import { screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import type { Schemas } from '../../api/client'
import { answering, renderAt } from '../../testing/render'
import { message, span } from '../conversation/messages.fixture'
import { PlayerContext } from '../player/context'
import type { Player, PlayerState } from '../player/player'
import { FindBar } from './bar'
import { FindButton } from './button'
import { FindProvider } from './provider'

const session = { id: 'demo', started: '2026-03-02T10:00:00Z' } as Schemas['SessionDetail']

afterEach(() => vi.restoreAllMocks())

/** Shows the field of a session of three texts and a tool call. Returns what the player was asked for. */
function show() {
  answering({
    '/v1/sessions/{id}/timeline': { spans: [span({ id: 't', name: 'make', start_ms: 2500 })] },
    '/v1/sessions/{id}/transcript': {
      items: [
        message({ id: 'a', kind: 'user', text: 'make it work', start_ms: 1000 }),
        message({ id: 'b', text: 'I make nothing', start_ms: 2000 }),
        message({ id: 'c', text: 'as you wish', start_ms: 3000 }),
      ],
      next: null,
    },
  })
  const state = { offset: 1500, duration: 4000, running: false } as PlayerState
  const player = { subscribe: () => () => undefined, state: () => state, seek: vi.fn(), pause: vi.fn() }
  renderAt(
    '/sessions/demo',
    <PlayerContext.Provider value={player as unknown as Player}>
      <FindProvider>
        <FindButton />
        <FindBar session={session} />
      </FindProvider>
    </PlayerContext.Provider>,
  )
  return player
}

test('counts what is found, and goes from one moment to the next and back', async () => {
  const user = userEvent.setup()
  const player = show()
  await user.click(screen.getByRole('button', { name: 'Find words in this session' }))
  const field = screen.getByRole('textbox', { name: 'Find in this session' })
  expect(document.activeElement).toBe(field)
  await user.type(field, 'Make')
  expect(await screen.findByText('3 found')).toBeTruthy()
  expect(player.seek).not.toHaveBeenCalled()
  await user.keyboard('{Enter}')
  expect(await screen.findByText('2 of 3')).toBeTruthy()
  await user.keyboard('{Enter}{Enter}{Shift>}{Enter}{/Shift}')
  expect(player.seek.mock.calls).toEqual([[2000], [2500], [1000], [2500]])
  expect(screen.getByText('timeline of make, 0:02.500')).toBeTruthy()
  await user.click(screen.getByRole('button', { name: /^The next one/ }))
  expect(player.seek).toHaveBeenLastCalledWith(1000)
})

test('opens by Ctrl and F, and Escape closes it and returns the focus', async () => {
  const user = userEvent.setup()
  show()
  const button = screen.getByRole('button', { name: 'Find words in this session' })
  button.focus()
  await user.keyboard('{Control>}f{/Control}')
  const field = screen.getByRole('textbox', { name: 'Find in this session' })
  await user.type(field, 'xyz')
  expect(await screen.findByText('nothing found')).toBeTruthy()
  expect(screen.getByRole('button', { name: /^The next one/ })).toHaveProperty('disabled', true)
  await user.keyboard('{Escape}')
  expect(screen.queryByRole('textbox')).toBeNull()
  expect(document.activeElement).toBe(button)
})
