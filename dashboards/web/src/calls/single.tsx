import { Anchor, Title } from '@mantine/core'
import { Link } from 'wouter'
import { Time } from '../components/time'
import { duration } from '../format/duration'
import { Figure } from '../reports/figure'
import type { Column } from '../reports/column'
import { ReportTable } from '../reports/table'
import type { Call } from './queries'

/** The calls with the longest gaps, each a link to its moment. */
export function SingleCalls({ calls }: { calls: readonly Call[] }) {
  return (
    <>
      <Title order={2} size="h5">
        Longest gaps
      </Title>
      <ReportTable
        label="Calls with the longest gaps"
        columns={columns}
        rows={calls}
        rowKey={({ session_id, span_id }) => `${session_id} ${span_id}`}
      />
    </>
  )
}

const took = (name: string, hint: string, of: (call: Call) => number | null): Column<Call> => ({
  name,
  hint,
  figure: true,
  key: of,
  cell: (call) => <Figure value={of(call)} write={duration} />,
})

const columns: Column<Call>[] = [
  {
    name: 'model',
    key: ({ model }) => model,
    cell: (call) => (
      <Anchor component={Link} href={momentOf(call)} inherit fw={500}>
        {call.model ?? 'without a name'}
      </Anchor>
    ),
  },
  took('longest gap', 'Between two chunks.', (call) => call.longest_gap_ms),
  took('first token', 'From the beginning of the call.', (call) => call.first_token_ms),
  took('took', 'From its beginning to its end.', (call) => call.duration_ms),
  {
    name: 'ended',
    key: ({ outcome }) => outcome,
    cell: ({ outcome, stop_reason }) => stop_reason ?? outcome,
  },
  { name: 'began', key: ({ started }) => started, cell: ({ started }) => <Time at={started} /> },
  { name: 'session', key: ({ session_id }) => session_id, cell: ({ session_id }) => session_id },
]

/** The address of the session at the frame that first spoke of a call. */
function momentOf({ session_id, position }: Call): string {
  return `/sessions/${encodeURIComponent(session_id)}?t=${encodeURIComponent(position)}`
}
