import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Schemas } from '../api/client'
import { duration, wholeSeconds } from '../format/duration'
import { percent } from '../format/numbers'
import { usePlayer, usePlayerState } from './player/context'
import { timelineQuery } from './queries'
import classes from './spent.module.css'
import { isOpen } from './standing'
import { useGo } from './useplace'
import { currentOf, sharesOf, verdictOf } from './verdict'

/** Of an open session the strip is drawn anew so often, ms. */
const step = 1000

/** How a session went, and a strip of where its time went; each part of it leads to its longest stretch. */
export function Spent({ session, verdict }: { session: Schemas['SessionDetail']; verdict: boolean }) {
  const timeline = useQuery(timelineQuery(session.id)).data
  const player = usePlayer()
  const go = useGo()
  const open = isOpen(session)
  const known = usePlayerState((state) => (state.running ? Math.floor(state.known / step) * step : null))
  const length = known ?? session.duration_ms
  const shares = useMemo(
    () => (timeline === undefined || length <= 0 ? [] : sharesOf(timeline.spans, length)),
    [timeline, length],
  )
  const current = open && timeline !== undefined ? currentOf(timeline.spans) : null
  const line = verdict ? verdictOf(session) : null
  const used = shares.some(({ use }) => use === 'model' || use === 'tools')
  if (line === null && !used && current === null) return null
  const show = (span: string | null, from: number) => {
    go({ span, tab: 'timeline' }, 'push')
    player.seek(from)
  }
  return (
    <div className={classes.spent}>
      {line !== null && <p className={classes.verdict}>{line}</p>}
      {current !== null && (
        <p className={classes.verdict}>
          Now in{' '}
          <button
            className={classes.current}
            onClick={() => go({ span: current.id, tab: 'timeline' }, 'push')}
          >
            {current.name === '' ? current.kind : current.name}
          </button>
          <For since={current.start_ms} />
        </p>
      )}
      {used && (
        <div className={classes.strip} role="group" aria-label="Where the time went">
          <div className={classes.bar} aria-hidden>
            {shares.map(({ use, ms }) => (
              <i key={use} data-use={use} style={{ flexGrow: ms / length }} />
            ))}
          </div>
          {shares.map(({ use, ms, longest }) => (
            <button
              key={use}
              className={classes.part}
              title={`${use}: ${duration(ms)}, ${percent(ms / length)}. Show the longest, ${duration(longest.ms)}.`}
              onClick={() => show(longest.span, longest.from)}
            >
              <i data-use={use} />
              {use} {percent(ms / length)}
            </button>
          ))}
        </div>
      )}
    </div>
  )
}

/** For how long something has been in progress, in whole seconds from two on: what is shorter would be wrong at once. */
function For({ since }: { since: number }) {
  const seconds = usePlayerState(({ known }) => Math.floor((known - since) / 1000))
  return seconds < 2 ? null : `, for ${wholeSeconds(seconds * 1000)}`
}
