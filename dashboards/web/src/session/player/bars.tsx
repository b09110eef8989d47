import { useComputedColorScheme } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { useCallback, useEffect, useRef, type ReactNode } from 'react'
import type { Schemas } from '../../api/client'
import { penOf } from '../pen'
import { useShown } from './context'
import { bars } from './density'
import type { Marker } from './markers'
import type { PlayerState } from './player'
import classes from './scrubber.module.css'

/** A bar and the space after it, in px. */
const pitch = 3
/** The height of the lane of markers below the bars, px. */
const lane = 8
/** The least distance between two markers of a kind, px. */
const apart = { node: 3, tool: 6, note: 6, alert: 6, error: 6 }

/** The density of frames and the markers, drawn once in the colours of what is to come and once of what was. */
export function DensityBars(props: {
  density: Schemas['Density'] | undefined
  markers: readonly Marker[]
  length: number
}) {
  const { ref, width, height } = useElementSize()
  const scheme = useComputedColorScheme('light')
  const coming = useRef<HTMLCanvasElement>(null)
  const gone = useRef<HTMLCanvasElement>(null)
  const { density, markers, length } = props
  useEffect(() => {
    for (const canvas of [coming.current, gone.current])
      if (canvas !== null && width > 0) draw(canvas, width, height, density, markers, length)
  }, [density, markers, length, width, height, scheme])
  return (
    <div ref={ref} className={classes.bars} aria-hidden>
      <canvas ref={coming} className={classes.coming} />
      <Gone length={length}>
        <canvas ref={gone} className={classes.gone} />
      </Gone>
    </div>
  )
}

/** Shows what it holds up to the moment: a window moves over it, and it moves back, which paints nothing anew. */
function Gone({ length, children }: { length: number; children: ReactNode }) {
  const pane = useRef<HTMLDivElement>(null)
  const held = useRef<HTMLDivElement>(null)
  const show = useCallback(
    ({ offset }: PlayerState) => {
      const rest = length <= 0 ? 0 : Math.max(1 - offset / length, 0) * 100
      if (pane.current !== null) pane.current.style.transform = `translateX(${-rest}%)`
      if (held.current !== null) held.current.style.transform = `translateX(${rest}%)`
    },
    [length],
  )
  useShown(show)
  return (
    <div ref={pane} className={classes.pane}>
      <div ref={held} className={classes.held}>
        {children}
      </div>
    </div>
  )
}

function draw(
  canvas: HTMLCanvasElement,
  width: number,
  height: number,
  density: Schemas['Density'] | undefined,
  markers: readonly Marker[],
  length: number,
) {
  const pen = penOf(canvas, width, height)
  if (pen === null) return
  const style = getComputedStyle(canvas)
  pen.fillStyle = style.getPropertyValue('--bar')
  const floor = height - lane
  const columns = Math.floor(width / pitch)
  if (density !== undefined && columns > 0)
    for (const [i, level] of bars(density, length, columns).entries()) {
      const tall = Math.round(level * (floor - 2))
      if (tall > 0) pen.fillRect((i * width) / columns, floor - tall, pitch - 1, tall)
    }
  pen.fillRect(0, floor, width, 1)
  if (length <= 0) return
  // Errors come last, so that nothing hides them.
  for (const kind of ['node', 'tool', 'note', 'alert', 'error'] as const) {
    pen.fillStyle = style.getPropertyValue(`--${kind}`)
    let drawn = -Infinity
    for (const marker of markers) {
      const x = (Math.min(marker.at / length, 1) * width) | 0
      if (marker.kind !== kind || x - drawn < apart[kind]) continue
      drawn = x
      const inside = Math.min(Math.max(x, 2.5), width - 2.5)
      if (kind === 'node') pen.fillRect(x, floor + 2, 1, lane - 3)
      else if (kind === 'note') pin(pen, inside, 0, floor - 2)
      else dot(pen, inside, floor + 5, kind === 'tool' ? 2 : 3)
    }
  }
}

function dot(pen: CanvasRenderingContext2D, x: number, y: number, radius: number) {
  pen.beginPath()
  pen.arc(x, y, radius, 0, 2 * Math.PI)
  pen.fill()
}

/** A line through the bars with a head at its top. */
function pin(pen: CanvasRenderingContext2D, x: number, top: number, bottom: number) {
  pen.fillRect(x - 0.5, top, 1, bottom - top)
  pen.beginPath()
  pen.moveTo(x - 4, top)
  pen.lineTo(x + 4, top)
  pen.lineTo(x, top + 7)
  pen.fill()
}
