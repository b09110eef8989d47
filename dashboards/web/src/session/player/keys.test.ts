import { expect, test, vi } from 'vitest'
import { keyHelp, nextSpeed, obeyKey } from './keys'
import type { Player, PlayerState } from './player'

const state: PlayerState = {
  ...{
    offset: 20_000,
    position: null,
    duration: 60_000,
    edge: 60_000,
    known: 60_000,
    playing: false,
    speed: 1,
  },
  ...{ idleLimit: null, loop: false, running: false, live: false, trouble: null, barred: null },
}

function press(key: string, now: Partial<PlayerState> = {}) {
  const done: string[] = []
  const note =
    (name: string) =>
    (...given: unknown[]) =>
      void done.push([name, ...given].join(' '))
  const player: Player = {
    ...{ subscribe: () => () => undefined, state: () => ({ ...state, ...now }), close: vi.fn() },
    ...{ play: note('play'), pause: note('pause'), seek: note('seek'), seekTo: note('seekTo') },
    ...{ step: note('step'), setSpeed: note('speed'), setIdleLimit: note('idle'), setLoop: note('loop') },
    goLive: note('live'),
  }
  const obeyed = obeyKey(key, player, { help: note('help'), marker: note('marker'), find: note('find') })
  expect(obeyed).toBe(done.length > 0)
  return done.join(', ')
}

test.each([
  [' ', {}, 'play'],
  ['k', { playing: true }, 'pause'],
  ['ArrowLeft', {}, 'seek 15000'],
  ['ArrowRight', {}, 'seek 25000'],
  [',', {}, 'step -1'],
  ['.', {}, 'step 1'],
  ['<', {}, 'speed 0.5'],
  ['>', { speed: 100 }, 'speed 100'],
  ['0', {}, 'seek 0'],
  ['7', {}, 'seek 42000'],
  ['Home', {}, 'seek 0'],
  ['End', {}, 'seek 60000'],
  ['End', { running: true }, 'live'],
  ['m', {}, 'marker false'],
  ['M', {}, 'marker true'],
  ['f', {}, 'find'],
  ['s', {}, 'idle 1000'],
  ['s', { idleLimit: 1000 }, 'idle '],
  ['r', { loop: true }, 'loop false'],
  ['l', {}, 'live'],
  ['?', {}, 'help'],
  ['x', {}, ''],
  ['Tab', {}, ''],
])('%s with %j: %s', (key, now, want) => expect(press(key, now)).toBe(want))

test('speeds go up and down, also from one that is not offered', () => {
  expect([nextSpeed(1, true), nextSpeed(3, true), nextSpeed(3, false), nextSpeed(0.1, false)]).toEqual([
    1.5, 4, 2, 0.1,
  ])
})

test('the help speaks of each key once', () => {
  const keys = keyHelp.flatMap((row) => row.keys)
  expect(new Set(keys).size).toBe(keys.length)
})
