import { useLocalStorage } from '@mantine/hooks'
import type { CSSProperties, RefObject } from 'react'
import { Edge, edgeWidth } from './edge'

/** The share of the conversation in the width, percent: usual, and its bounds. */
const usual = 46
const [least, most] = [25, 75]
/** How far an arrow key moves the edge, percent. */
const keyStep = 2

interface Panes {
  style: CSSProperties
  share: number
  resize: (share: number) => void
}

/** How the width is divided between the conversation and the view beside it, which the browser keeps for the reader. */
export function usePanes(): Panes {
  const [share, resize] = useLocalStorage<number>({
    key: 'tapedeck-panes',
    defaultValue: usual,
    getInitialValueInEffect: false,
  })
  const within = clamp(share)
  return { style: { '--share': `${within}%` } as CSSProperties, share: within, resize }
}

/** The edge between the conversation and the view beside it, both in `views`. */
export function PanesEdge({
  panes: { share, resize },
  views,
}: {
  panes: Panes
  views: RefObject<HTMLDivElement | null>
}) {
  const to = (x: number) => {
    const { left, width } = views.current?.getBoundingClientRect() ?? { left: 0, width: 1 }
    resize(clamp(Math.round(((x - left) / width) * 1000) / 10))
  }
  return (
    <Edge
      label="Width of the conversation"
      least={least}
      most={most}
      now={Math.round(share)}
      style={{ left: `calc(var(--share) - ${edgeWidth / 2}px)` }}
      onMove={to}
      onStep={(by) => resize(clamp(share + by * keyStep))}
      onReset={() => resize(usual)}
    />
  )
}

function clamp(share: number): number {
  return Number.isFinite(share) ? Math.min(Math.max(share, least), most) : usual
}
