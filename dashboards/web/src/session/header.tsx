import { ActionIcon, Anchor, Button, Text, Tooltip, UnstyledButton } from '@mantine/core'
import { IconChevronDown, IconChevronUp, IconGitCompare } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { isShared, type Schemas } from '../api/client'
import { StatusBadge } from '../components/status'
import { duration } from '../format/duration'
import { longTime, utcTime } from '../format/moment'
import { compact, count } from '../format/numbers'
import { AlertList, OpenAlert } from './alerts/alerts'
import { ShareButton } from './share/button'
import { reported } from '../format/reported'
import { listAddress } from '../sessions/lastaddress'
import classes from './page.module.css'
import { CostSoFar } from './costsofar'
import { endLine } from './end'
import { FindButton } from './find/button'
import { CompareWithLastGood } from './lastgood'
import { SessionMenu } from './menu/menu'
import { usePlayer, usePlayerState } from './player/context'
import { Spent } from './spent'
import { ageOf, isOpen, runningFor, silenceOf } from './standing'
import { Unreadable } from './unreadable'
import { useGo } from './useplace'

/** The session's title, status and size; folded, only title, status and why it failed, in a line. */
export function SessionHeader({
  session,
  folded,
  onFold,
}: {
  session: Schemas['SessionDetail']
  folded: boolean
  onFold: (folded: boolean) => void
}) {
  return (
    <header className={classes.head} data-folded={folded || undefined}>
      <div className={classes.heading}>
        {!isShared() && (
          <>
            <Anchor component={Link} href={listAddress()} size="sm" c="dimmed">
              Sessions
            </Anchor>
            <Text c="dimmed" size="sm" aria-hidden>
              /
            </Text>
          </>
        )}
        <h1 className={classes.title} title={session.title === '' ? session.id : session.title}>
          {session.title === '' ? session.id : session.title}
        </h1>
        <StatusBadge status={session.status} />
        <OpenAlert session={session} />
        {folded && <Ending session={session} />}
        <div className={classes.actions}>
          <FindButton />
          {!isShared() && <CompareLink session={session.id} />}
          <ShareButton session={session} />
          <SessionMenu session={session} />
          <FoldButton folded={folded} onFold={onFold} />
        </div>
      </div>
      <div id="about">{!folded && <About session={session} />}</div>
    </header>
  )
}

function FoldButton({ folded, onFold }: { folded: boolean; onFold: (folded: boolean) => void }) {
  const name = folded ? 'More about this session' : 'Less about this session'
  return (
    <Tooltip label={name}>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={name}
        aria-expanded={!folded}
        aria-controls="about"
        onClick={() => onFold(!folded)}
      >
        {folded ? <IconChevronDown size={18} /> : <IconChevronUp size={18} />}
      </ActionIcon>
    </Tooltip>
  )
}

/** How the session ended, where its time went, and its size. */
function About({ session }: { session: Schemas['SessionDetail'] }) {
  const { totals } = session
  const errors = totals.tools.errors === 0 ? '' : `, ${count(totals.tools.errors)} failed`
  return (
    <>
      <div className={classes.verdict}>
        <Ending session={session} />
        {!isShared() && <CompareWithLastGood session={session} />}
      </div>
      <AlertList session={session} />
      <Spent session={session} verdict={endLine(session.end) === null} />
      <Unreadable session={session} />
      <dl className={classes.facts} aria-label="Facts">
        <Fact name="Started">
          <time dateTime={session.started} title={utcTime(session.started)}>
            {longTime(session.started)}
          </time>
        </Fact>
        <Lasting session={session} />
        <Fact name="Frames">{count(totals.frames)}</Fact>
        {totals.runs > 0 && <Fact name="Runs">{count(totals.runs)}</Fact>}
        {totals.tools.calls > 0 && (
          <Fact name="Tools">
            {count(totals.tools.calls)}
            {errors}
          </Fact>
        )}
        {(totals.runs > 0 || reported(totals)) && (
          <Fact name="Tokens">{reported(totals) ? compact(totals.tokens.total) : '–'}</Fact>
        )}
        {totals.calls > 0 && (
          <Fact name="Cost">
            <CostSoFar session={session} />
          </Fact>
        )}
        {session.dialects.length > 0 && <Fact name="Dialect">{session.dialects.join(', ')}</Fact>}
        {session.models.length > 0 && <Fact name="Model">{session.models.join(', ')}</Fact>}
        {session.title !== '' && <Fact name="Id">{session.id}</Fact>}
      </dl>
    </>
  )
}

/** Leads to a comparison with a session that is chosen there. */
function CompareLink({ session }: { session: string }) {
  return (
    <Button
      component={Link}
      href={`/compare?a=${encodeURIComponent(session)}`}
      size="compact-sm"
      variant="default"
      visibleFrom="sm"
      leftSection={<IconGitCompare size={14} />}
      style={{ flex: 'none' }}
    >
      Compare with …
    </Button>
  )
}

/** The cause of the session's end, unless it is an ordinary one; a click shows the span that was open then. */
function Ending({ session }: { session: Schemas['SessionDetail'] }) {
  const player = usePlayer()
  const go = useGo()
  const line = endLine(session.end)
  if (line === null) return null
  return (
    <p className={classes.end} data-mild={line.mild}>
      {line.text}
      {line.in !== null && (
        <>
          , in{' '}
          <UnstyledButton
            className={classes.cause ?? ''}
            onClick={() => {
              go({ span: line.in?.id ?? null, tab: 'timeline' }, 'push')
              player.seek(session.end?.offset_ms ?? 0)
            }}
          >
            {line.in.name}
          </UnstyledButton>
        </>
      )}
    </p>
  )
}

/** The duration of a session; for an open one how long it has been running and silent. */
function Lasting({ session }: { session: Schemas['SessionDetail'] }) {
  const followed = usePlayerState(({ running, duration, edge }) =>
    running ? runningFor(duration, duration - edge) : null,
  )
  if (isOpen(session))
    return <Fact name="Running for">{followed ?? runningFor(ageOf(session), silenceOf(session))}</Fact>
  return <Fact name="Lasted">{duration(session.duration_ms)}</Fact>
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={classes.fact}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
