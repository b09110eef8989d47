import { Badge } from '@mantine/core'
import type { CSSProperties, MouseEvent } from 'react'
import { Link } from 'wouter'
import { Cost } from '../components/cost'
import { StatusBadge } from '../components/status'
import { Time } from '../components/time'
import { duration } from '../format/duration'
import { compact, count, counted } from '../format/numbers'
import { reported } from '../format/reported'
import { causeOf } from '../session/end'
import { Progress } from './progress'
import choosing from './choosing.module.css'
import type { Session } from './rows'
import classes from './table.module.css'

/** A session's line in the list. All of it leads to the session, but the box that chooses it. */
export function Row({
  session,
  index,
  isStop,
  chosen,
  toggle,
  style,
}: {
  session: Session
  index: number
  /** The Tab key comes to it. */
  isStop: boolean
  /** It is chosen to be compared. */
  chosen: boolean
  toggle: (id: string) => void
  style: CSSProperties
}) {
  const { id, title, tags, tools, tokens, dialects } = session
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      className={classes.row}
      style={style}
      data-status={session.status}
      onClick={open}
      data-chosen={chosen || undefined}
    >
      <div role="cell" className={choosing.box}>
        <label className={choosing.box}>
          <input
            type="checkbox"
            aria-label={`Choose ${title === '' ? id : title}`}
            checked={chosen}
            tabIndex={isStop ? 0 : -1}
            onChange={() => toggle(id)}
          />
        </label>
      </div>
      <div role="cell" className={classes.session}>
        <Link
          href={`/sessions/${encodeURIComponent(id)}`}
          className={classes.link}
          data-row={index}
          aria-keyshortcuts="x"
          tabIndex={isStop ? 0 : -1}
        >
          {title === '' ? id : title}
        </Link>
        <div className={classes.under}>
          <Progress session={session} />
          {title !== '' && <span className={classes.id}>{id}</span>}
          {Object.entries(tags).map(([name, value]) => (
            <Badge
              key={name}
              className={classes.tag}
              size="sm"
              radius="sm"
              variant="default"
              tt="none"
              fw={400}
            >
              {value === '' ? name : `${name}: ${value}`}
            </Badge>
          ))}
        </div>
      </div>
      <div role="cell" className={classes.status}>
        <StatusBadge status={session.status} cause={causeOf(session.end)} />
      </div>
      <div role="cell" className={classes.started}>
        <Time at={session.started} />
      </div>
      <div role="cell" className={classes.last}>
        <Time at={session.last_at} />
      </div>
      <div role="cell" className={classes.duration}>
        {duration(session.running_ms ?? session.duration_ms)}
      </div>
      <div role="cell" className={classes.frames} title={counted(session.frames, 'frame')}>
        {count(session.frames)}
        <span className={classes.unit}>{session.frames === 1 ? ' frame' : ' frames'}</span>
      </div>
      <div
        role="cell"
        className={classes.tokens}
        title={reported(session) ? counted(tokens.total, 'token') : 'No usage was reported.'}
      >
        {reported(session) ? compact(tokens.total) : <None label="not reported" />}
        {reported(session) && (
          <span className={classes.unit}>{tokens.total === 1 ? ' token' : ' tokens'}</span>
        )}
      </div>
      <div role="cell" className={classes.cost}>
        {session.calls === 0 ? <None label="no cost" /> : <Cost spent={session} />}
      </div>
      <div role="cell" className={classes.tools}>
        {tools.calls === 0 ? <None /> : count(tools.calls)}
        {tools.errors > 0 && (
          <span className={classes.failed} title={`${counted(tools.errors, 'call')} failed`}>
            {' '}
            {count(tools.errors)} ✕<span className={classes.unseen}> failed</span>
          </span>
        )}
      </div>
      <div role="cell" className={classes.dialect} title={dialects.join(', ')}>
        {dialects.join(', ')}
      </div>
      {session.findings !== undefined && (
        <div role="cell" className={classes.findings}>
          {session.findings.length === 0 ? (
            <None />
          ) : (
            <span title={session.findings.map(({ detail }) => detail).join('\n')}>
              {count(session.findings.reduce((sum, { count: n }) => sum + n, 0))}
              <span className={classes.unit}>{findingsUnit(session.findings)}</span>
            </span>
          )}
        </div>
      )}
    </div>
  )
}

function findingsUnit(findings: NonNullable<Session['findings']>): string {
  return findings.length === 1 && findings[0]?.count === 1 ? ' finding' : ' findings'
}

function None({ label = 'none' }: { label?: string }) {
  return (
    <span className={classes.none} aria-label={label}>
      –
    </span>
  )
}

/** What has a tooltip lies above the link of the row, and leads there all the same. */
function open({ target, currentTarget }: MouseEvent<HTMLElement>) {
  if (target instanceof Element && target.closest('a, label') === null)
    currentTarget.querySelector('a')?.click()
}
