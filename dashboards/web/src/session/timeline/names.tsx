import { useLocalStorage } from '@mantine/hooks'
import { type CSSProperties, type KeyboardEvent, type PointerEvent, type RefObject, useRef } from 'react'
import classes from './names.module.css'

/** The narrowest column of names, and the least room that is left for the bars, px. */
const narrowest = 90
const leastBars = 160
/** The width on a wide screen before the reader chose one, px. */
const usual = 250
/** How far an arrow key moves the edge, px. */
const keyStep = 16

interface Names {
  view: RefObject<HTMLDivElement | null>
  /** The width of the column as the reader chose it. */
  style: CSSProperties | undefined
  width: number | null
  resize: (width: number | null) => void
}

/** The width of the column of names, which the browser keeps for the reader. */
export function useNames(): Names {
  const view = useRef<HTMLDivElement>(null)
  const [width, resize] = useLocalStorage<number | null>({
    key: 'tapedeck-timeline-names',
    defaultValue: null,
    getInitialValueInEffect: false,
  })
  const style =
    width === null ? undefined : ({ '--label': `min(${width}px, 100% - ${leastBars}px)` } as CSSProperties)
  return { view, style, width, resize }
}

/** The right edge of the column of names: dragged, or moved by the arrow keys; a double click resets it. */
export function NamesEdge({ names: { view, width, resize } }: { names: Names }) {
  const left = () => view.current?.getBoundingClientRect().left ?? 0
  const most = () => (view.current?.clientWidth ?? 1000) - leastBars
  const to = (wanted: number) => resize(Math.round(Math.max(narrowest, Math.min(wanted, most()))))
  const moved = (event: PointerEvent<HTMLElement>) => {
    if (event.currentTarget.hasPointerCapture(event.pointerId)) to(event.clientX - left())
  }
  const key = (event: KeyboardEvent<HTMLElement>) => {
    const by = { ArrowLeft: -keyStep, ArrowRight: keyStep }[event.key]
    if (by === undefined) return
    event.preventDefault()
    event.stopPropagation()
    to(event.currentTarget.getBoundingClientRect().left + 4 - left() + by)
  }
  return (
    <div
      className={classes.edge}
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label="Width of the names"
      aria-valuemin={narrowest}
      aria-valuenow={width ?? usual}
      title="Drag to resize; double click to reset"
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={moved}
      onDoubleClick={() => resize(null)}
      onKeyDown={key}
    />
  )
}
