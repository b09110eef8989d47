import { Skeleton, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ProblemAlert } from '../components/problem'
import { bytes, counted } from '../format/numbers'
import { dayOf } from '../format/moment'
import type { Column } from '../reports/column'
import { ReportTable } from '../reports/table'
import { previewQuery, type Kind } from './queries'

interface Row {
  kind: Kind
  /** "" for what expires with the next round. */
  day: string
  sessions: number
  /** Only of the kind bills. */
  bills?: number | undefined
  bytes: number
}

/** What expires with the next round, and by age on each of the next 30 days. */
export function Expiring() {
  const { data, error, isPending, refetch } = useQuery(previewQuery)
  if (error !== null) return <ProblemAlert error={error} again={() => void refetch()} />
  if (isPending) return <Skeleton height={120} radius="md" />
  const rows = data.items.flatMap(({ kind, due, days }): Row[] => [
    ...(due.sessions > 0 || (due.bills ?? 0) > 0 ? [{ kind, day: '', ...due }] : []),
    ...days.map((one) => ({ kind, ...one })),
  ])
  return (
    <section>
      <Title order={2} size="h5" mb="xs">
        What expires
      </Title>
      {rows.length === 0 ? (
        <Text size="sm" c="dimmed">
          Nothing expires in the next 30 days.
        </Text>
      ) : (
        <ReportTable
          label="What expires"
          columns={columns}
          rows={rows.toSorted((a, b) => a.day.localeCompare(b.day))}
          rowKey={({ kind, day }) => `${kind} ${day}`}
        />
      )}
    </section>
  )
}

const columns: Column<Row>[] = [
  {
    name: 'when',
    key: ({ day }) => day,
    cell: ({ day }) => (day === '' ? 'within five minutes' : dayOf(day)),
  },
  { name: 'kind', key: ({ kind }) => kind, cell: ({ kind }) => kind },
  {
    name: 'sessions',
    figure: true,
    key: ({ sessions, bills }) => bills ?? sessions,
    cell: ({ sessions, bills }) =>
      bills === undefined ? counted(sessions, 'session') : counted(bills, 'bill'),
  },
  { name: 'size', figure: true, key: (row) => row.bytes, cell: (row) => bytes(row.bytes) },
]
