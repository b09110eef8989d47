import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Schemas } from '../api/client'
import { duration } from '../format/duration'
import { percent } from '../format/numbers'
import { usePlayer } from './player/context'
import { timelineQuery } from './queries'
import classes from './spent.module.css'
import { isOpen } from './standing'
import { useGo } from './useplace'
import { sharesOf, verdictOf } from './verdict'

/** How a session went, and a strip of where its time went; each part of it leads to its longest stretch. */
export function Spent({ session, verdict }: { session: Schemas['SessionDetail']; verdict: boolean }) {
  const timeline = useQuery(timelineQuery(session.id)).data
  const player = usePlayer()
  const go = useGo()
  const over = !isOpen(session)
  const shares = useMemo(
    () => (timeline === undefined || !over ? [] : sharesOf(timeline.spans, session.duration_ms)),
    [timeline, over, session.duration_ms],
  )
  const line = verdict ? verdictOf(session) : null
  const used = shares.filter(({ use }) => use === 'model' || use === 'tools').length > 0
  if (line === null && !used) return null
  return (
    <div className={classes.spent}>
      {line !== null && <p className={classes.verdict}>{line}</p>}
      {used && (
        <div className={classes.strip} role="group" aria-label="Where the time went">
          {shares.map(({ use, ms, longest }) => (
            <button
              key={use}
              className={classes.part}
              data-use={use}
              style={{ flexGrow: Math.max(ms / session.duration_ms, 0.01) }}
              title={`${use}: ${duration(ms)}, ${percent(ms / session.duration_ms)}. Show the longest.`}
              onClick={() => {
                if (longest.span !== null) go({ span: longest.span, tab: 'timeline' }, 'push')
                player.seek(longest.from)
              }}
            >
              {use} {percent(ms / session.duration_ms)}
            </button>
          ))}
        </div>
      )}
    </div>
  )
}
