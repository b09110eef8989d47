import { Button, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { Schemas } from '../../api/client'
import { ProblemAlert } from '../../components/problem'
import { bytes } from '../../format/numbers'
import { pageQuery } from '../frames/queries'
import { MomentLink } from '../moment'
import { useGo } from '../useplace'
import classes from './detail.module.css'

/** How many frames are shown here; the rest is under Frames. */
const most = 20

interface Props {
  session: string
  started: string
  span: Schemas['Span']
  /** Where the span ends, ms from the session's start. */
  end: number
}

/** The frames that came from a span's first one to its end, on demand. */
export function SpanFrames(props: Props) {
  const [open, setOpen] = useState(false)
  const go = useGo()
  return (
    <section className={classes.section} aria-label="Frames">
      <h3>Frames</h3>
      {open ? (
        <Lines {...props} />
      ) : (
        <Button size="compact-xs" variant="default" onClick={() => setOpen(true)}>
          Show the frames from its first one on
        </Button>
      )}{' '}
      <Button size="compact-xs" variant="subtle" onClick={() => go({ tab: 'frames' }, 'push')}>
        Go to Frames
      </Button>
    </section>
  )
}

function Lines({ session, started, span, end }: Props) {
  const client = useQueryClient()
  const filter = { types: [], direction: null }
  const page = useQuery(pageQuery(client, session, filter, before(span.position), most))
  const { refetch } = page
  const grows = (page.data?.length ?? 0) < most
  useEffect(() => {
    // The span has lasted on, and frames may have come.
    if (grows) void refetch({ cancelRefetch: false })
  }, [end, grows, refetch])
  if (page.data === undefined)
    return page.error === null ? null : <ProblemAlert error={page.error} again={() => void page.refetch()} />
  const lines = page.data.filter(({ offset_ms }) => offset_ms <= end)
  return (
    <>
      <ol className={classes.frames}>
        {lines.map(({ position, offset_ms, type, size, head }) => (
          <li key={position}>
            <MomentLink ms={offset_ms} started={started} />
            <span>{type}</span>
            <span className={classes.size}>{bytes(size)}</span>
            <code title={head}>{head}</code>
          </li>
        ))}
      </ol>
      {lines.length === most && (
        <Text size="xs" c="dimmed">
          Later ones are listed under Frames.
        </Text>
      )}
    </>
  )
}

/** The position just before another: of the nanosecond before it, since pages begin after theirs. */
function before(position: string): string {
  const [at = '0', stream = ''] = position.split('.')
  return `${BigInt(at) - 1n}.${stream}.0`
}
