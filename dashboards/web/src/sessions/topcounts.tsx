import { Fragment } from 'react'
import { counted } from '../format/numbers'
import classes from './page.module.css'
import { topLimit, type TopStatus } from './queries'
import type { Session } from './rows'

const statuses: readonly TopStatus[] = ['quiet', 'running', 'lost']

/** How many sessions are on top of the list, by status: "1 session quiet, 2 running". */
export function TopCounts({ sessions }: { sessions: readonly Session[] }) {
  const counts = statuses
    .map((status) => ({ status, n: sessions.filter((session) => session.status === status).length }))
    .filter(({ n }) => n > 0)
  return (
    <span className={classes.top} role="status">
      {counts.map(({ status, n }, i) => (
        <Fragment key={status}>
          {i > 0 && ', '}
          <span data-status={status} title={status === 'lost' ? 'Within the last hour.' : undefined}>
            {i === 0 ? counted(n, 'session') : n}
            {n >= topLimit && ' or more'} {status}
          </span>
        </Fragment>
      ))}
    </span>
  )
}
