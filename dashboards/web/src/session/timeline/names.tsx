import { useLocalStorage } from '@mantine/hooks'
import { type CSSProperties, type RefObject, useRef } from 'react'
import { Edge, edgeWidth } from '../edge'

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

/** The right edge of the column of names. */
export function NamesEdge({ names: { view, width, resize } }: { names: Names }) {
  const box = () => view.current?.getBoundingClientRect() ?? { left: 0, width: 1000 }
  const to = (wanted: number) =>
    resize(Math.round(Math.max(narrowest, Math.min(wanted, box().width - leastBars))))
  const drawn = () => {
    const track = view.current?.querySelector('[role="gridcell"]')
    return track?.getBoundingClientRect().width ?? usual
  }
  return (
    <Edge
      label="Width of the names"
      least={narrowest}
      now={width ?? usual}
      style={{ left: `calc(var(--label) - ${edgeWidth / 2}px)` }}
      onMove={(x) => to(x - box().left)}
      onStep={(by) => to(drawn() + by * keyStep)}
      onReset={() => resize(null)}
    />
  )
}
