import { Anchor, Skeleton, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { answered, api, isRefused } from '../api/client'
import { ToRecord } from '../components/torecord'
import { Empty } from '../components/empty'
import { ProblemAlert } from '../components/problem'
import { type Filter, formatFilter, toQuery } from '../filters/filter'
import type { Column } from '../reports/column'
import { ReportTable } from '../reports/table'
import { cells } from '../sessions/cells'
import type { Session } from '../sessions/rows'

/** How many sessions are listed. */
const most = 20

/** The sessions that began last. */
export function LatestSessions({ filter }: { filter: Filter }) {
  const query = { ...toQuery(filter), limit: most }
  const list = useQuery({
    queryKey: ['sessions', 'latest', query],
    queryFn: ({ signal }) => answered(api.GET('/v1/sessions', { params: { query }, signal })),
    refetchInterval: ({ state }) => (isRefused(state.error) ? false : 5_000),
  })
  if (list.error !== null) return <ProblemAlert error={list.error} again={() => void list.refetch()} />
  if (list.data === undefined) return <Skeleton height={240} radius="md" />
  const { items, next } = list.data
  if (items.length === 0)
    return (
      <Empty title="No session in this range">
        No session with this tag began in it. Choose a longer range, or <ToRecord>record a source</ToRecord>{' '}
        with the tag.
      </Empty>
    )
  return (
    <>
      <Title order={2} size="h5">
        Latest sessions
      </Title>
      <ReportTable label="Latest sessions" columns={columns} rows={items} rowKey={({ id }) => id} />
      {next !== null && next !== '' && (
        <Anchor component={Link} href={`/${formatFilter(filter)}`} size="sm">
          All sessions
        </Anchor>
      )}
    </>
  )
}

const columns: Column<Session>[] = [
  {
    name: 'session',
    key: ({ title, id }) => (title === '' ? id : title),
    cell: ({ title, id }) => (
      <Anchor component={Link} href={`/sessions/${encodeURIComponent(id)}`} inherit fw={500}>
        {title === '' ? id : title}
      </Anchor>
    ),
  },
  { name: 'status', key: ({ status }) => status, cell: cells.status },
  { name: 'started', key: ({ started }) => started, cell: cells.started },
  {
    name: 'duration',
    figure: true,
    key: ({ running_ms, duration_ms }) => running_ms ?? duration_ms,
    cell: cells.duration,
  },
  { name: 'error', key: ({ end }) => end?.reason ?? '', cell: cells.error },
  { name: 'cost', figure: true, key: ({ cost }) => Number(cost?.amount ?? 0), cell: cells.cost },
]
