import type { CSSProperties, KeyboardEvent, PointerEvent } from 'react'
import classes from './edge.module.css'

/** How wide a separator is, px. */
export const edgeWidth = 8

/** The edge between two columns: dragged, or moved by the arrow keys; a double click resets it. */
export function Edge({
  label,
  least,
  most,
  now,
  style,
  onMove,
  onStep,
  onReset,
}: {
  label: string
  /** The values of the separator, for screen readers. */
  least: number
  most?: number
  now: number
  style: CSSProperties
  /** It was dragged to this place in the page, px. */
  onMove: (clientX: number) => void
  /** An arrow key moved it, to the left or to the right. */
  onStep: (by: -1 | 1) => void
  onReset: () => void
}) {
  const moved = (event: PointerEvent<HTMLElement>) => {
    if (event.currentTarget.hasPointerCapture(event.pointerId)) onMove(event.clientX)
  }
  const key = (event: KeyboardEvent<HTMLElement>) => {
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return
    event.preventDefault()
    event.stopPropagation()
    onStep(event.key === 'ArrowLeft' ? -1 : 1)
  }
  return (
    <div
      className={classes.edge}
      style={style}
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={label}
      aria-valuemin={least}
      aria-valuemax={most}
      aria-valuenow={now}
      title="Drag to resize; double click to reset"
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={moved}
      onDoubleClick={onReset}
      onKeyDown={key}
    />
  )
}
