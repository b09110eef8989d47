// @vitest-environment jsdom
import { act, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Schemas } from '../../api/client'
import { answering, renderAt } from '../../testing/render'
import { PlayerContext } from './context'
import type { Player, PlayerState } from './player'
import { TransportBar } from './transport'

const session = {
  id: 'demo',
  started: '2026-01-02T03:04:05Z',
  duration_ms: 10_000,
} as Schemas['SessionDetail']

const start: PlayerState = {
  offset: 4000,
  position: null,
  duration: 10_000,
  edge: 10_000,
  known: 10_000,
  playing: false,
  speed: 1,
  idleLimit: null,
  loop: false,
  running: false,
  live: false,
  trouble: null,
  barred: null,
}

beforeEach(() => {
  answering({
    '/v1/sessions/{id}/timeline': { spans: [] },
    '/v1/sessions/{id}/density': { frames: [], slice_ms: 10 },
  })
})
afterEach(() => vi.restoreAllMocks())

/** Shows the controls of a player in some state. Returns the player, and a way to change its state. */
function show(state: Partial<PlayerState> = {}) {
  let current = { ...start, ...state }
  const listeners = new Set<() => void>()
  const player = {
    subscribe: (changed: () => void) => {
      listeners.add(changed)
      return () => listeners.delete(changed)
    },
    state: () => current,
    play: vi.fn(),
    pause: vi.fn(),
    seek: vi.fn(),
    seekTo: vi.fn(),
    step: vi.fn(),
    setSpeed: vi.fn(),
    setIdleLimit: vi.fn(),
    setLoop: vi.fn(),
    goLive: vi.fn(),
    close: vi.fn(),
  } satisfies Player
  renderAt(
    '/sessions/demo',
    <PlayerContext value={player}>
      <TransportBar session={session} />
    </PlayerContext>,
  )
  const set = (change: Partial<PlayerState>) =>
    act(() => {
      current = { ...current, ...change }
      for (const changed of listeners) changed()
    })
  return { player, set, user: userEvent.setup() }
}

const button = (name: string | RegExp) => screen.getByRole('button', { name })

test('play becomes pause while it plays', async () => {
  const { player, set, user } = show()
  await user.click(button('Play'))
  expect(player.play).toHaveBeenCalledOnce()
  set({ playing: true })
  await user.click(button('Pause'))
  expect(player.pause).toHaveBeenCalledOnce()
})

test('the moment and the length are shown, and follow the player', () => {
  const { set } = show()
  const timer = screen.getByRole('timer')
  expect(timer.textContent).toBe('0:04.000/ 0:10.000')
  set({ offset: 65_300, duration: 70_000 })
  expect(timer.textContent).toBe('1:05.300/ 1:10.000')
})

test('frames are stepped, silence is skipped, and a loop is set', async () => {
  const { player, set, user } = show()
  await user.click(button('One frame back'))
  await user.click(button('One frame on'))
  expect(player.step.mock.calls).toEqual([[-1], [1]])
  await user.click(button(/^Skip silence/))
  expect(player.setIdleLimit).toHaveBeenLastCalledWith(1000)
  set({ idleLimit: 1000, loop: true })
  expect(button(/^Skip silence/).getAttribute('aria-pressed')).toBe('true')
  await user.click(button(/^Skip silence/))
  expect(player.setIdleLimit).toHaveBeenLastCalledWith(null)
  await user.click(button('Loop'))
  expect(player.setLoop).toHaveBeenLastCalledWith(false)
})

test('the speed is chosen from a menu', async () => {
  const { player, set, user } = show()
  await user.click(button('Speed: 1×'))
  await user.click(await screen.findByRole('menuitem', { name: '16×' }))
  expect(player.setSpeed).toHaveBeenCalledWith(16)
  set({ speed: 16 })
  expect(button('Speed: 16×')).toBeTruthy()
})

test('a session that is over has no way to live; one that runs has, with how far it is', async () => {
  const { player, set, user } = show()
  expect(screen.queryByText(/live/i)).toBeNull()
  set({ running: true, duration: 16_000 })
  await user.click(button(/^Back to live.*12.* behind$/))
  expect(player.goLive).toHaveBeenCalledOnce()
  set({ live: true })
  expect(screen.getByText('Live')).toBeTruthy()
  set({ trouble: 'Lost the connection to the server, reconnecting …' })
  expect(screen.getByText('Waiting')).toBeTruthy()
  expect(screen.getByText(/^Lost the connection/)).toBeTruthy()
})

test('where nothing can be played the controls are off, and the reason stands there', () => {
  const { set } = show()
  expect(button('Play')).toHaveProperty('disabled', false)
  set({ barred: 'The frames expired: nothing can be played.' })
  for (const name of ['Play', 'One frame back', 'One frame on'])
    expect(button(name)).toHaveProperty('disabled', true)
  expect(screen.getByText('The frames expired: nothing can be played.')).toBeTruthy()
})

test('keys do what the controls do, but for those that a field takes', async () => {
  const { player, user } = show()
  await user.keyboard(' ')
  expect(player.play).toHaveBeenCalledOnce()
  await user.keyboard('.')
  expect(player.step).toHaveBeenCalledWith(1)
  await user.keyboard('7')
  expect(player.seek).toHaveBeenCalledWith(7000)
  const field = document.body.appendChild(document.createElement('input'))
  field.focus()
  await user.keyboard('3')
  expect(player.seek).toHaveBeenCalledOnce()
  field.remove()
})
