import { Anchor, Text, Title } from '@mantine/core'
import { Link } from 'wouter'
import { SpanStatus } from '../components/spanstatus'
import { Time } from '../components/time'
import { duration } from '../format/duration'
import type { Column } from '../reports/column'
import { ReportTable } from '../reports/table'
import type { SlowCall } from './queries'

/** The calls that took longest, each a link to its moment. */
export function Slowest({ calls }: { calls: readonly SlowCall[] }) {
  return (
    <>
      <Title order={2} size="h5">
        Slowest calls
      </Title>
      <ReportTable
        label="Slowest calls"
        columns={columns}
        rows={calls}
        rowKey={({ session_id, span_id }) => `${session_id} ${span_id}`}
      />
    </>
  )
}

const columns: Column<SlowCall>[] = [
  {
    name: 'tool',
    key: ({ tool }) => tool,
    cell: (call) => (
      <Anchor component={Link} href={momentOf(call)} inherit fw={500}>
        {call.tool ?? 'without a name'}
      </Anchor>
    ),
  },
  {
    name: 'took',
    figure: true,
    key: lasted,
    cell: (call) => duration(lasted(call)),
  },
  {
    name: 'status',
    key: ({ status }) => status,
    cell: ({ status }) =>
      status === 'ok' || status === 'error' || status === 'cancelled' ? (
        <SpanStatus state={status} />
      ) : (
        status
      ),
  },
  {
    name: 'began',
    key: ({ started }) => started,
    cell: ({ started }) => (started === null ? '–' : <Time at={started} />),
  },
  {
    name: 'agent',
    key: ({ agent }) => agent,
    cell: ({ agent }) =>
      agent ?? (
        <Text span inherit c="dimmed">
          unknown
        </Text>
      ),
  },
  {
    name: 'session',
    key: ({ session_id }) => session_id,
    cell: ({ session_id }) => (
      <Anchor component={Link} href={`/sessions/${encodeURIComponent(session_id)}`} inherit>
        {session_id}
      </Anchor>
    ),
  },
]

/** How long a call took, has been running, or was open when its stream, run or session ended: ms. */
function lasted({ duration_ms, running_ms, open_ms }: SlowCall): number {
  return duration_ms ?? running_ms ?? open_ms ?? 0
}

/** The address of the session at the frame that first spoke of a call. */
function momentOf({ session_id, position }: SlowCall): string {
  return `/sessions/${encodeURIComponent(session_id)}?t=${encodeURIComponent(position)}`
}
