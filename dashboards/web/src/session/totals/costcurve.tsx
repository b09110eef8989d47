import { useCallback, useMemo, useRef } from 'react'
import { money } from '../../format/numbers'
import { usePlayer, usePlayerState, useShown } from '../player/context'
import type { PlayerState } from '../player/player'
import classes from './cost.module.css'
import type { CostStep } from './costs'

const [width, height] = [1000, 100]

/** The cost over the session's time as a curve of steps. A click goes to a moment. */
export function CostCurve({ steps }: { steps: readonly CostStep[] }) {
  const player = usePlayer()
  const duration = usePlayerState((state) => Math.max(state.duration, 1))
  const passed = useRef<SVGRectElement>(null)
  const head = useRef<SVGLineElement>(null)
  const show = useCallback(
    ({ offset }: PlayerState) => {
      const x = String(Math.min(offset / duration, 1) * width)
      passed.current?.setAttribute('width', x)
      for (const end of ['x1', 'x2']) head.current?.setAttribute(end, x)
    },
    [duration],
  )
  useShown(show)
  const path = useMemo(() => curve(steps, duration), [steps, duration])
  const last = steps.at(-1)
  if (last === undefined) return null
  return (
    <svg
      className={classes.curve}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`The cost grows to ${money(last.total)} in ${steps.length} steps`}
      onClick={({ currentTarget, clientX }) => {
        const { left, width: wide } = currentTarget.getBoundingClientRect()
        // The last pixels are the end, where the last call may have its usage.
        player.seek(Math.min((clientX - left) / (wide - 3), 1) * duration)
      }}
    >
      <clipPath id="cost-passed">
        <rect ref={passed} x={0} y={0} width={0} height={height} />
      </clipPath>
      <path d={path} className={classes.ahead} />
      <path d={path} className={classes.passed} clipPath="url(#cost-passed)" />
      <line ref={head} y1={0} y2={height} className={classes.head} />
    </svg>
  )
}

/** The area below the steps. */
export function curve(steps: readonly CostStep[], duration: number): string {
  const most = Number(steps.at(-1)?.total.amount ?? 0)
  if (most <= 0) return ''
  const points = steps.map(({ at, total }) => {
    const x = (Math.min(Math.max(at / duration, 0), 1) * width).toFixed(1)
    return `H${x}V${(height - (Number(total.amount) / most) * (height - 6)).toFixed(1)}`
  })
  return `M0 ${height}${points.join('')}H${width}V${height}Z`
}
