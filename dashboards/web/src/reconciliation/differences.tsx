import { Anchor, Text } from '@mantine/core'
import { Link } from 'wouter'
import { StatusBadge } from '../components/status'
import { Time } from '../components/time'
import { count } from '../format/numbers'
import type { Column } from '../reports/column'
import { ReportTable } from '../reports/table'
import classes from './page.module.css'
import type { Difference } from './rows'

/** The differences of sessions, each as it is. */
export function Differences({ rows }: { rows: readonly Difference[] }) {
  return <ReportTable label="Differences" columns={columns} rows={rows} rowKey={({ key }) => key} />
}

const figure = (name: 'stated' | 'counted' | 'difference', hint: string): Column<Difference> => ({
  name,
  hint,
  figure: true,
  key: (row) => row[name],
  cell: (row) =>
    row[name] === '' ? (
      <Text span inherit c="dimmed">
        –
      </Text>
    ) : (
      row[name]
    ),
})

const columns: Column<Difference>[] = [
  {
    name: 'session',
    key: ({ session }) => session.session_id,
    cell: ({ session }) => (
      <Anchor component={Link} href={`/sessions/${encodeURIComponent(session.session_id)}`} inherit>
        {session.session_id}
      </Anchor>
    ),
  },
  { name: 'finding', key: ({ code }) => code, cell: ({ code }) => code.replaceAll('_', ' ') },
  { name: 'what', key: ({ what }) => what, cell: ({ what }) => <span className={classes.what}>{what}</span> },
  figure('stated', 'As the source states it: tokens, or a cost.'),
  figure('counted', 'The sum of the recorded calls, or their price.'),
  figure('difference', 'Stated less counted.'),
  {
    name: 'calls',
    hint: 'Usage records of calls in the session.',
    figure: true,
    key: ({ session }) => session.calls,
    cell: ({ session }) => count(session.calls),
  },
  {
    name: 'tokens',
    hint: 'All recorded tokens of the session.',
    figure: true,
    key: ({ session }) => session.tokens.total,
    cell: ({ session }) => count(session.tokens.total),
  },
  {
    name: 'started',
    key: ({ session }) => session.started,
    cell: ({ session }) => <Time at={session.started} />,
  },
  {
    name: 'status',
    key: ({ session }) => session.status,
    cell: ({ session }) => <StatusBadge status={session.status} />,
  },
]
