import { expect, test } from 'vitest'
import type { Player, PlayerState } from '../session/player/player'
import { PairPlayer } from './pairplayer'

/** A player that only keeps its state. */
function still(duration: number) {
  let state = { offset: 0, duration, playing: false, speed: 1, trouble: null } as PlayerState
  const listeners = new Set<() => void>()
  const set = (change: Partial<PlayerState>) => {
    state = { ...state, ...change }
    for (const changed of listeners) changed()
  }
  const player = {
    subscribe: (changed: () => void) => {
      listeners.add(changed)
      return () => listeners.delete(changed)
    },
    state: () => state,
    play: () => set({ playing: true }),
    pause: () => set({ playing: false }),
    seek: (offset: number) => set({ offset: Math.min(offset, duration) }),
    setSpeed: (speed: number) => set({ speed }),
    seekTo: () => {},
    step: () => {},
    setIdleLimit: () => {},
    setLoop: () => {},
    goLive: () => {},
    close: () => {},
  } satisfies Player
  return { player, set }
}

test('both play from the same moment, and the shorter one waits at its end', () => {
  const [a, b] = [still(1000), still(5000)]
  const both = new PairPlayer(a.player, b.player)
  both.seek(3000)
  expect([a.player.state().offset, b.player.state().offset]).toEqual([1000, 3000])
  both.play()
  expect([a.player.state().playing, b.player.state().playing]).toEqual([false, true])
  expect(both.state()).toMatchObject({ offset: 3000, duration: 5000, playing: true })
  both.seek(500)
  expect([a.player.state().playing, b.player.state().playing]).toEqual([true, true])
  both.pause()
  expect(both.state().playing).toBe(false)
})

test('at the end both begin again', () => {
  const [a, b] = [still(1000), still(2000)]
  const both = new PairPlayer(a.player, b.player)
  both.seek(2000)
  both.play()
  expect([a.player.state(), b.player.state()]).toMatchObject([
    { offset: 0, playing: true },
    { offset: 0, playing: true },
  ])
})

test('the state is the same object until something changes', () => {
  const [a, b] = [still(1000), still(2000)]
  const both = new PairPlayer(a.player, b.player)
  expect(both.state()).toBe(both.state())
  const before = both.state()
  b.set({ trouble: 'lost' })
  expect(both.state()).not.toBe(before)
  expect(both.state().trouble).toBe('lost')
})

test('moments that drift apart are brought together, and not for every picture', () => {
  const [a, b] = [still(60_000), still(60_000)]
  let now = 10_000
  const both = new PairPlayer(a.player, b.player, () => now)
  const leave = both.subscribe(() => {})
  both.play()
  a.set({ offset: 2000 })
  expect(b.player.state().offset).toBe(2000)
  now += 100
  a.set({ offset: 4000 })
  expect(b.player.state().offset).toBe(2000)
  now += 5000
  a.set({ offset: 4100 })
  expect(b.player.state().offset).toBe(4100)
  leave()
})
