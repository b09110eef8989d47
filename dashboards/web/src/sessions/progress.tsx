import { lazy, Suspense } from 'react'
import { wholeSeconds } from '../format/duration'
import { spanName } from '../session/end'
import type { Session } from './rows'
import classes from './table.module.css'

/** Loaded after the first page, which has enough to load. */
const OpenAlerts = lazy(async () => {
  await new Promise((done) => setTimeout(done, 2000))
  return import('./openalerts')
})

/**
 * What a session that is open or was lost is in, and for how long it has been silent: "in psql, silent for 43 m 15 s",
 * and its open alert.
 */
export function Progress({ session: { id, status, open_span, end, silent_ms } }: { session: Session }) {
  if (status !== 'quiet' && status !== 'running' && status !== 'lost') return null
  const found = open_span ?? end?.span ?? null
  // A run without a name is all of it.
  const span = found?.kind === 'run' && found.name === '' ? null : found
  const silent = status === 'running' || silent_ms === null ? null : silent_ms
  return (
    <>
      {(span !== null || silent !== null) && (
        <span className={classes.progress} data-status={status}>
          {span !== null && (
            <>
              in <b>{spanName(span)}</b>
            </>
          )}
          {span !== null && silent !== null && ', '}
          {silent !== null && `silent for ${wholeSeconds(silent)}`}
        </span>
      )}
      <Suspense>
        <OpenAlerts session={id} />
      </Suspense>
    </>
  )
}
