import { Anchor, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { fetchAlerts } from '../api/alerts'
import { isRefused, type Schemas } from '../api/client'
import { ProblemAlert } from '../components/problem'
import { Time } from '../components/time'
import type { Column } from '../reports/column'
import { ReportTable } from '../reports/table'

/** The budgets of the tag's value that were exceeded, the latest first; nothing without one. */
export function Budgets({ name, value, from }: { name: string; value: string; from: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['alerts', 'of', name, value, from],
    queryFn: ({ signal }) => fetchAlerts({ per: `tag:${name}`, value, from }, signal),
    refetchInterval: ({ state }) => (isRefused(state.error) ? false : 10_000),
  })
  if (data === undefined && error !== null) return <ProblemAlert error={error} again={() => void refetch()} />
  if (data === undefined || data.length === 0) return null
  return (
    <>
      <Title order={2} size="h5">
        Exceeded budgets
      </Title>
      <ReportTable label="Exceeded budgets" columns={columns} rows={data} rowKey={({ id }) => id} />
    </>
  )
}

const columns: Column<Schemas['Alert']>[] = [
  { name: 'period', key: ({ period }) => period, cell: ({ period }) => period ?? '–' },
  { name: 'rule', key: ({ rule }) => rule, cell: ({ rule }) => rule },
  { name: 'what happened', key: ({ detail }) => detail, cell: ({ detail }) => detail },
  { name: 'since', key: ({ began }) => began, cell: ({ began }) => <Time at={began} /> },
  {
    name: 'until',
    key: ({ ended }) => ended,
    cell: ({ ended }) => (ended === null ? 'open' : <Time at={ended} />),
  },
  {
    name: 'latest session',
    key: ({ session_id }) => session_id,
    cell: ({ session_id }) => (
      <Anchor component={Link} href={`/sessions/${encodeURIComponent(session_id)}`} inherit>
        {session_id}
      </Anchor>
    ),
  },
]
