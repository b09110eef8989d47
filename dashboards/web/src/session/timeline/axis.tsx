import { type PointerEvent, useState } from 'react'
import { usePlayer } from '../player/context'
import classes from './axis.module.css'
import type { Range } from './rows'
import { duration } from '../../format/duration'
import { between, tickName, warpedTicks } from './scale'
import type { Warp } from './warp'

/** The axis of time: a click goes to its moment, a drag shows what it spans. `width` is in pixels, ranges as drawn. */
export function Axis(props: {
  range: Range
  all: Range
  warp: Warp
  width: number
  onShow: (range: Range) => void
}) {
  const { range, all, warp, width } = props
  const player = usePlayer()
  const [drag, setDrag] = useState<Range | null>(null)
  const { at, step } = warpedTicks(range, warp, Math.max(2, Math.floor(width / 64)))
  const length = range.to - range.from
  const share = (drawn: number) => `${((drawn - range.from) / length) * 100}%`
  const moment = (event: PointerEvent<HTMLDivElement>) => {
    const box = event.currentTarget.getBoundingClientRect()
    const x = Math.min(Math.max(event.clientX - box.left, 0), box.width)
    return range.from + (x / Math.max(box.width, 1)) * length
  }
  return (
    <div
      className={classes.axis}
      data-testid="axis"
      onPointerDown={(event) => {
        if (event.button !== 0) return
        event.currentTarget.setPointerCapture(event.pointerId)
        const from = moment(event)
        setDrag({ from, to: from })
      }}
      onPointerMove={(event) => drag && setDrag({ from: drag.from, to: moment(event) })}
      onPointerUp={(event) => {
        if (drag === null) return
        setDrag(null)
        // The state may lack the last move, which React has not rendered yet.
        const [from, to] = [drag.from, moment(event)]
        // Less than a few pixels is a click by a hand that is not quite still.
        if (Math.abs(to - from) * width < 5 * length) player.seek(warp.moment(to))
        else props.onShow(between(from, to, all))
      }}
      onPointerCancel={() => setDrag(null)}
    >
      {warp.folds.map((fold) => (
        <span
          key={fold.at}
          className={classes.fold}
          style={{ left: share(fold.at), width: `${(fold.width / length) * 100}%` }}
          title={`${duration(fold.to - fold.from)} of silence, drawn short`}
        >
          ⋯
        </span>
      ))}
      {at.map((ms) => (
        <span key={ms} className={classes.tick} style={{ left: share(warp.draw(ms)) }}>
          {tickName(ms, step)}
        </span>
      ))}
      {drag !== null && (
        <div
          className={classes.drag}
          style={{
            left: share(Math.min(drag.from, drag.to)),
            width: `${(Math.abs(drag.to - drag.from) / length) * 100}%`,
          }}
        />
      )}
    </div>
  )
}
