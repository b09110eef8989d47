import { useComputedColorScheme } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { type PointerEvent, useEffect, useRef, useState } from 'react'
import { penOf } from '../pen'
import { usePlayer } from '../player/context'
import classes from './minimap.module.css'
import type { Range, Row } from './rows'
import { between, isWhole, within } from './scale'
import { densityOf } from './spandensity'
import type { Warp } from './warp'

/** Less than so many pixels is a click by a hand that is not quite still. */
const still = 4

interface Props {
  rows: readonly Row[]
  /** What is shown, and all there is, on the drawn axis. */
  range: Range
  all: Range
  warp: Warp
  /** Until when what is open has lasted. */
  known: number | null
  onShow: (range: Range) => void
}

/**
 * All of the timeline in a strip, with a frame around what is shown of it. The frame is dragged; a drag beside it
 * shows what it spans. By keyboard the rows have the same.
 */
export function Minimap({ rows, range, all, warp, known, onShow }: Props) {
  const player = usePlayer()
  const { ref, width, height } = useElementSize()
  const scheme = useComputedColorScheme('light')
  const canvas = useRef<HTMLCanvasElement>(null)
  const [drag, setDrag] = useState<{ from: number; to: number; held: Range | null } | null>(null)
  const whole = isWhole(range, all)
  const length = all.to - all.from
  useEffect(() => {
    if (canvas.current !== null && width > 0) paint(canvas.current, { rows, all, warp, known, width, height })
  }, [rows, all, warp, known, width, height, scheme])
  const at = (event: PointerEvent<HTMLDivElement>) => {
    const box = event.currentTarget.getBoundingClientRect()
    const share = Math.min(Math.max((event.clientX - box.left) / Math.max(box.width, 1), 0), 1)
    return all.from + share * length
  }
  const moved = (to: number) => {
    if (drag === null) return
    setDrag({ ...drag, to })
    const { held, from } = drag
    if (held !== null) onShow(within({ from: held.from + to - from, to: held.to + to - from }, all))
  }
  /** Ends the drag where the pointer is: the state may lack the last move, which React has not rendered yet. */
  const released = (to: number) => {
    if (drag === null) return
    const isClick = Math.abs(to - drag.from) * width < still * length
    if (drag.held === null && !isClick) onShow(between(drag.from, to, all))
    else if (isClick && whole) player.seek(warp.moment(to))
    else if (isClick) {
      const half = (range.to - range.from) / 2
      onShow(within({ from: to - half, to: to + half }, all))
    } else moved(to)
    setDrag(null)
  }
  const place = (from: number, to: number) => ({
    left: `${((Math.min(from, to) - all.from) / length) * 100}%`,
    width: `${(Math.abs(to - from) / length) * 100}%`,
  })
  return (
    <div
      ref={ref}
      className={classes.map}
      data-testid="minimap"
      aria-hidden
      onPointerDown={(event) => {
        if (event.button !== 0) return
        event.currentTarget.setPointerCapture(event.pointerId)
        const from = at(event)
        const inside = !whole && from >= range.from && from <= range.to
        setDrag({ from, to: from, held: inside ? range : null })
      }}
      onPointerMove={(event) => moved(at(event))}
      onPointerUp={(event) => released(at(event))}
      onPointerCancel={() => setDrag(null)}
    >
      <canvas ref={canvas} className={classes.canvas} />
      {!whole && <div className={classes.frame} style={place(range.from, range.to)} />}
      {drag !== null && drag.held === null && (
        <div className={classes.drag} style={place(drag.from, drag.to)} />
      )}
    </div>
  )
}

/** How much of each pixel's time model calls took, in a lane, and tool calls, in one below; failures are red over both. */
function paint(
  canvas: HTMLCanvasElement,
  {
    rows,
    all,
    warp,
    known,
    width,
    height,
  }: Omit<Props, 'range' | 'onShow'> & { width: number; height: number },
) {
  const pen = penOf(canvas, width, height)
  if (pen === null) return
  const style = getComputedStyle(canvas)
  const lane = (height - 5) / 2
  const { llm, tool, failed } = densityOf(rows, all, warp, known, Math.floor(width))
  const bars = (shares: Float32Array, mark: string, bottom: number, full: number) => {
    pen.fillStyle = style.getPropertyValue(mark)
    for (const [x, share] of shares.entries()) {
      if (share === 0) continue
      const high = Math.max(share * full, 2)
      pen.fillRect(x, bottom - high, 1, high)
    }
  }
  bars(llm, '--mark-model', 2 + lane, lane)
  bars(tool, '--mark-tool', 3 + 2 * lane, lane)
  bars(failed, '--mark-error', height - 2, height - 4)
}
