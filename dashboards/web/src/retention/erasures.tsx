import { Badge, Code, Skeleton, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ProblemAlert } from '../components/problem'
import { Time } from '../components/time'
import { bytes } from '../format/numbers'
import type { Column } from '../reports/column'
import { ReportTable } from '../reports/table'
import { erasuresQuery, type Erasure } from './queries'
import { erasedText, stateText } from './words'

/** The erasures, with how far they are. */
export function Erasures() {
  const { data, error, isPending, refetch } = useQuery(erasuresQuery)
  return (
    <section>
      <Title order={2} size="h5" mb="xs">
        Erasures
      </Title>
      {error !== null && <ProblemAlert error={error} again={() => void refetch()} />}
      {isPending && <Skeleton height={120} radius="md" />}
      {data?.items.length === 0 && (
        <Text size="sm" c="dimmed">
          Nothing was erased. <Code>tapedeck erase</Code> erases sessions, all sessions of a person, or a
          tenant.
        </Text>
      )}
      {data !== undefined && data.items.length > 0 && (
        <ReportTable label="Erasures" columns={columns} rows={data.items} rowKey={({ id }) => id} />
      )}
    </section>
  )
}

const columns: Column<Erasure>[] = [
  { name: 'requested', key: (row) => row.requested_at, cell: (row) => <Time at={row.requested_at} /> },
  { name: 'of', key: erasedText, cell: erasedText },
  { name: 'state', key: ({ state }) => state, cell: (row) => <StateBadge erasure={row} /> },
  {
    name: 'waits for',
    key: ({ waits_for }) => waits_for,
    cell: ({ waits_for, remarks }) => [waits_for, ...remarks].filter(Boolean).join(' · ') || '–',
  },
  { name: 'size', figure: true, key: ({ found }) => found.bytes, cell: ({ found }) => bytes(found.bytes) },
  { name: 'by', key: (row) => row.requested_by, cell: (row) => row.requested_by },
]

/** The state of an erasure, with what it means as a hint. */
function StateBadge({ erasure: { state, overdue } }: { erasure: Erasure }) {
  return (
    <Badge
      size="sm"
      radius="sm"
      variant={overdue ? 'light' : 'default'}
      color={state === 'verified' ? 'teal' : overdue ? 'yellow' : 'gray'}
      tt="none"
      fw={500}
      title={stateText[state]}
      {...(overdue && { c: 'var(--text-warn)' })}
    >
      {overdue ? `${state}, overdue` : state}
    </Badge>
  )
}
