import { IconClockX, IconEyeOff, IconTimeline, IconTrash } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { Link } from 'wouter'
import { isShared, ProblemError, type Schemas } from '../api/client'
import { Notice } from '../components/notice'
import { clock } from '../format/duration'
import { shortTime } from '../format/moment'
import { count, counted } from '../format/numbers'
import { hasScope, loginQuery } from '../login/queries'
import classes from './notices.module.css'
import { momentOf } from './player/address'
import { isGone } from './queries'
import { isOfSpans, isOpen } from './standing'
import { search } from './urlsearch'

type Session = Schemas['SessionDetail']

/** What is unusual about a session, each with what it means. `error` is how the server refuses to show it further. */
export function Notices({ session, error }: { session: Session; error: Error | null }) {
  return (
    <div role="status">
      {error !== null && <Refused error={error} />}
      <Beyond session={session} />
      <Spans session={session} />
      <Expired session={session} />
      <Masked session={session} />
    </div>
  )
}

/** That the session was deleted, or can no longer be read for another reason. */
function Refused({ error }: { error: Error }) {
  if (!isShared() && isGone(error))
    return (
      <Notice icon={<IconTrash size={16} />}>
        This session has been deleted. What was loaded of it is still here, until you leave it for{' '}
        <Link href="/">the other sessions</Link>.
      </Notice>
    )
  const title = error instanceof ProblemError ? `${error.problem.title}. ` : ''
  return (
    <Notice icon={<IconEyeOff size={16} />}>
      {title}
      {error.message} What was loaded of the session is still here.
    </Notice>
  )
}

/** That the address asks for a moment that the session does not have. */
function Beyond({ session }: { session: Session }) {
  const [asked] = useState(() => momentOf(search(), session.started))
  if (asked === null || isOpen(session) || Math.floor(asked.offset) <= session.duration_ms) return null
  return (
    <Notice icon={<IconClockX size={16} />}>
      The address asks for {clock(asked.offset)}, which is after the end of this session: its end is shown.
    </Notice>
  )
}

/** That nothing was recorded but spans. */
function Spans({ session }: { session: Session }) {
  if (!isOfSpans(session)) return null
  return (
    <Notice icon={<IconTimeline size={16} />}>
      <Explained line="This session comes from spans: it has no recorded stream.">
        Its frames are exports of OpenTelemetry, and the time of an export is the end of its last span. The
        timeline has the times that the spans state.
      </Explained>
    </Notice>
  )
}

function Expired({ session: { frames_expired_at: at } }: { session: Session }) {
  const principal = useQuery({ ...loginQuery, enabled: false }).data?.principal
  if (at === undefined) return null
  const administers = principal != null && !isShared() && hasScope(principal, 'admin')
  return (
    <Notice icon={<IconClockX size={16} />}>
      <Explained line={`The frames of this session expired on ${shortTime(at)}: it cannot be played.`}>
        A retention policy limits how long the bytes of recordings are kept. Without them there is no replay,
        no tape, no emulation, and the session cannot be decoded again. Its messages, its timeline, its usage
        and its charges have policies of their own, and remain.
        {administers && (
          <>
            {' '}
            <Link href="/retention">The policies of this server</Link>
          </>
        )}
      </Explained>
    </Notice>
  )
}

/** How many secrets were masked in the frames, by rule. */
function Masked({ session: { streams } }: { session: Session }) {
  const rules = new Map<string, number>()
  for (const { redacted } of streams)
    for (const [rule, n] of Object.entries(redacted)) rules.set(rule, (rules.get(rule) ?? 0) + n)
  const all = [...rules.values()].reduce((sum, n) => sum + n, 0)
  if (all === 0) return null
  const listed = [...rules].sort(([, a], [, b]) => b - a).map(([rule, n]) => `${rule} (${count(n)})`)
  const line = `${counted(all, 'secret is', 'secrets are')} masked in the frames of this session.`
  return (
    <Notice icon={<IconEyeOff size={16} />}>
      <Explained line={line}>
        Found by {rules.size === 1 ? 'the rule' : 'the rules'} {listed.join(', ')}. A placeholder such as{' '}
        <code>[redacted:{[...rules.keys()][0]}#1]</code> stands in place of each; one number is one secret
        within a stream. The secrets themselves are not stored.
      </Explained>
    </Notice>
  )
}

/** A line, and what it means when one asks. */
function Explained({ line, children }: { line: string; children: ReactNode }) {
  return (
    <details className={classes.explained}>
      <summary>{line}</summary>
      <p>{children}</p>
    </details>
  )
}
