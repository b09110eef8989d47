// @vitest-environment jsdom
import { fireEvent, screen, waitFor } from '@testing-library/react'
import type { ReactNode } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { renderAt } from '../../testing/render'
import { PlayerContext } from '../player/context'
import type { Player } from '../player/player'
import { Axis } from './axis'
import { Minimap } from './minimap'
import type { Range } from './rows'
import { straight } from './warp'

/** Both are as wide as the whole range is long: a pixel is a millisecond. */
const all = { from: 0, to: 1000 }
const box = { x: 0, y: 0, top: 0, left: 0, right: 1000, bottom: 30, width: 1000, height: 30 }

beforeEach(() => {
  vi.spyOn(Element.prototype, 'getBoundingClientRect').mockReturnValue(box as DOMRect)
  vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue(null)
  Element.prototype.setPointerCapture = () => undefined
  vi.stubGlobal(
    'ResizeObserver',
    class {
      constructor(private readonly changed: (entries: unknown[]) => void) {}
      observe() {
        this.changed([{ contentRect: box }])
      }
      disconnect() {
        // It has told the size.
      }
    },
  )
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

/** Shows a component with a player. Returns where the player was sent, and what the component asked to show. */
function show(component: (onShow: (range: Range) => void) => ReactNode) {
  const [sought, shown]: [number[], Range[]] = [[], []]
  const player = { seek: (ms: number) => sought.push(ms) } as unknown as Player
  const onShow = (range: Range) => void shown.push(range)
  renderAt('/', <PlayerContext value={player}>{component(onShow)}</PlayerContext>)
  return { sought, shown }
}

/** Presses the pointer at a place, moves it to a second one, and releases it at a third one. */
function drag(element: HTMLElement, from: number, over: number, to: number) {
  for (const [type, clientX] of [
    ['pointerdown', from],
    ['pointermove', over],
    ['pointerup', to],
  ] as const)
    fireEvent(element, new MouseEvent(type, { bubbles: true, clientX })) // jsdom lacks PointerEvent
}

const axis = (onShow: (range: Range) => void) => (
  <Axis range={all} all={all} warp={straight} width={1000} onShow={onShow} />
)

const minimap = (range: Range) => (onShow: (range: Range) => void) => (
  <Minimap rows={[]} range={range} all={all} warp={straight} known={null} onShow={onShow} />
)

/** The map, once it knows how wide it is. */
async function map(): Promise<HTMLElement> {
  await waitFor(() => expect(document.querySelector('canvas')?.width).toBe(1000))
  return screen.getByTestId('minimap')
}

test('a drag over the axis ends where the pointer is released', () => {
  const { sought, shown } = show(axis)
  drag(screen.getByTestId('axis'), 100, 102, 400)
  expect(shown).toEqual([{ from: 100, to: 400 }])
  drag(screen.getByTestId('axis'), 100, 400, 102)
  expect(sought).toEqual([102])
})

test('a drag over the map ends where the pointer is released', async () => {
  const { sought, shown } = show(minimap(all))
  drag(await map(), 100, 102, 400)
  expect(shown).toEqual([{ from: 100, to: 400 }])
  drag(await map(), 100, 400, 102)
  expect(sought).toEqual([102])
})

test('the frame of the map is dragged to where the pointer is released', async () => {
  const { shown } = show(minimap({ from: 100, to: 300 }))
  drag(await map(), 200, 250, 500)
  expect(shown).toEqual([
    { from: 150, to: 350 },
    { from: 400, to: 600 },
  ])
})
