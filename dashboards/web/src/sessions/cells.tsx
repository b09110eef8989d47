import { Badge } from '@mantine/core'
import type { ReactNode } from 'react'
import { Cost } from '../components/cost'
import { StatusBadge } from '../components/status'
import { Time } from '../components/time'
import { duration } from '../format/duration'
import { compact, count, counted } from '../format/numbers'
import { reported } from '../format/reported'
import { causeOf, endLine } from '../session/end'
import type { Column } from './columns'
import type { Session } from './rows'
import classes from './table.module.css'

/** What the columns have of a session. */
export const cells: Record<Column['id'], (session: Session) => ReactNode> = {
  status: ({ status, end }) => <StatusBadge status={status} cause={causeOf(end)} />,
  started: ({ started }) => <Time at={started} />,
  last: ({ last_at }) => <Time at={last_at} />,
  duration: ({ running_ms, duration_ms }) => duration(running_ms ?? duration_ms),
  frames: ({ frames }) => (
    <span className={classes.above} title={counted(frames, 'frame')}>
      {count(frames)}
      <span className={classes.unit}>{frames === 1 ? ' frame' : ' frames'}</span>
    </span>
  ),
  tokens: (session) => <Tokens session={session} />,
  cost: (session) => (session.calls === 0 ? <None label="no cost" /> : <Cost spent={session} />),
  tools: ({ tools }) => <Tools tools={tools} />,
  dialect: ({ dialects }) => <Names names={dialects} />,
  model: ({ models }) => <Names names={models} />,
  agent: ({ agents }) => <Names names={agents} />,
  error: ({ end }) => {
    const line = endLine(end)
    return line === null ? (
      <None />
    ) : (
      <span className={line.mild ? classes.above : classes.failure} title={causeOf(end)}>
        {line.text}
      </span>
    )
  },
  tags: ({ tags }) => (Object.keys(tags).length === 0 ? <None /> : <Tags tags={tags} />),
  findings: ({ findings = [] }) => <Findings findings={findings} />,
}

function Tokens({ session }: { session: Session }) {
  if (!reported(session))
    return (
      <span className={classes.above} title="No usage was reported.">
        <None label="not reported" />
      </span>
    )
  const { total } = session.tokens
  return (
    <span className={classes.above} title={counted(total, 'token')}>
      {compact(total)}
      <span className={classes.unit}>{total === 1 ? ' token' : ' tokens'}</span>
    </span>
  )
}

/** How many calls there were, and how many failed. On narrow screens only the latter. */
function Tools({ tools: { calls, errors } }: { tools: Session['tools'] }) {
  return (
    <>
      <span className={classes.calls}>{calls === 0 ? <None /> : count(calls)}</span>
      {errors > 0 && (
        <span className={classes.failed} title={`${counted(errors, 'call')} failed`}>
          {' '}
          {count(errors)} ✕<span className={classes.unseen}> failed</span>
        </span>
      )}
    </>
  )
}

function Names({ names }: { names: readonly string[] }) {
  return names.length === 0 ? <None /> : <span title={names.join(', ')}>{names.join(', ')}</span>
}

/** The tags of a session, each in a frame of its own. */
export function Tags({ tags }: { tags: Session['tags'] }) {
  return Object.entries(tags).map(([name, value]) => (
    <Badge key={name} className={classes.tag} size="sm" radius="sm" variant="default" tt="none" fw={400}>
      {value === '' ? name : `${name}: ${value}`}
    </Badge>
  ))
}

function Findings({ findings }: { findings: NonNullable<Session['findings']> }) {
  if (findings.length === 0) return <None />
  const n = findings.reduce((sum, finding) => sum + finding.count, 0)
  return (
    <span title={findings.map(({ detail }) => detail).join('\n')}>
      {count(n)}
      <span className={classes.unit}>{n === 1 ? ' finding' : ' findings'}</span>
    </span>
  )
}

function None({ label = 'none' }: { label?: string }) {
  return (
    <span className={classes.none} aria-label={label}>
      –
    </span>
  )
}
