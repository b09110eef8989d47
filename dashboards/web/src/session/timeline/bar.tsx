import { type MouseEvent, use } from 'react'
import type { Schemas } from '../../api/client'
import { duration } from '../../format/duration'
import { OpenStateContext } from '../openstate'
import type { Range } from './rows'
import { reachOf } from './span'
import classes from './spanrow.module.css'
import type { Warp } from './warp'

/** A call whose first output came later than this share of it came as a whole: it wrote nothing bit by bit. */
const wholeFrom = 0.95
/** Up to where in the width there is room for more than a time beside a bar, in percent. */
const roomUntil = 70

/** A span as a bar over the axis, with its time beside it. A click on the bar goes to where that was. */
export function Bar({
  span,
  range,
  warp,
  known,
  gap,
  onSeek,
}: {
  span: Schemas['Span']
  /** What is shown, on the drawn axis. */
  range: Range
  warp: Warp
  known: number | null
  gap: Schemas['Gaps'] | undefined
  onSeek: (ms: number) => void
}) {
  const open = use(OpenStateContext)
  const to = reachOf(span, known)
  const length = range.to - range.from
  const share = (ms: number) => ((warp.draw(ms) - range.from) / length) * 100
  const [left, right] = [share(span.start_ms), share(to)]
  if (right < 0 || left > 100) return null
  const took = to - span.start_ms
  const [drawnFrom, drawnTo] = [warp.draw(span.start_ms), warp.draw(to)]
  /** Where in the bar something is that came so long after its beginning. */
  const part = (ms: number) =>
    drawnTo > drawnFrom
      ? Math.min(((warp.draw(span.start_ms + ms) - drawnFrom) / (drawnTo - drawnFrom)) * 100, 100)
      : 0
  const seek = (event: MouseEvent<HTMLElement>) => {
    event.stopPropagation() // the line's click only selects
    const box = event.currentTarget.getBoundingClientRect()
    const at = box.width > 0 ? (event.clientX - box.left) / box.width : 0
    onSeek(warp.moment(drawnFrom + Math.min(Math.max(at, 0), 1) * (drawnTo - drawnFrom)))
  }
  const state = span.open ? openWord(span, open) : ''
  return (
    <>
      <div className={classes.clip}>
        <div
          className={classes.bar}
          data-kind={span.kind}
          data-failed={span.status === 'error' || span.status === 'rejected'}
          data-open={span.open}
          data-silent={state === 'silent' || undefined}
          title={state === '' ? undefined : `${duration(took)}, ${state}`}
          style={{ left: `${left}%`, width: `${right - left}%` }}
          onClick={seek}
        >
          {span.first_token_ms !== null && span.first_token_ms < took * wholeFrom && (
            <div
              className={classes.first}
              style={{ width: `${part(span.first_token_ms)}%` }}
              title={`First output after ${duration(span.first_token_ms)}`}
            />
          )}
          {gap !== undefined && gap.max_ms > 5 * gap.p50_ms && gap.max_ms * 200 > took && (
            <div
              className={classes.gap}
              style={{
                left: `${part(gap.max_at_ms - span.start_ms)}%`,
                width: `${part(gap.max_at_ms - span.start_ms + gap.max_ms) - part(gap.max_at_ms - span.start_ms)}%`,
              }}
              title={`Nothing came for ${duration(gap.max_ms)}`}
            />
          )}
        </div>
      </div>
      <span className={classes.time} style={{ left: `${Math.min(right, 100)}%` }}>
        {duration(took)}
        {state !== '' && right < roomUntil && `, ${state}`}
      </span>
    </>
  )
}

/** How a span that is open stands at the end of the data, in words. */
function openWord({ status }: Schemas['Span'], open: 'running' | 'silent' | 'unclosed'): string {
  if (status === 'unclosed' || open === 'unclosed') return 'never ended'
  return open === 'silent' ? 'silent' : 'open'
}
