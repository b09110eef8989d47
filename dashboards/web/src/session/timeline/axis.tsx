import { type PointerEvent, useState } from 'react'
import { usePlayer } from '../player/context'
import classes from './axis.module.css'
import type { Range } from './rows'
import { between, tickName, ticks } from './scale'

/** The axis of time: a click goes to its moment, a drag shows what it spans. `width` is in pixels. */
export function Axis(props: { range: Range; all: Range; width: number; onShow: (range: Range) => void }) {
  const { range, all, width } = props
  const player = usePlayer()
  const [drag, setDrag] = useState<Range | null>(null)
  const { at, step } = ticks(range, Math.max(2, Math.floor(width / 64)))
  const length = range.to - range.from
  const share = (ms: number) => `${((ms - range.from) / length) * 100}%`
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
      onPointerUp={() => {
        if (drag === null) return
        setDrag(null)
        // Less than a few pixels is a click by a hand that is not quite still.
        if (Math.abs(drag.to - drag.from) * width < 5 * length) player.seek(drag.to)
        else props.onShow(between(drag.from, drag.to, all))
      }}
      onPointerCancel={() => setDrag(null)}
    >
      {at.map((ms) => (
        <span key={ms} className={classes.tick} style={{ left: share(ms) }}>
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
