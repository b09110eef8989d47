import { Skeleton, Text, Title } from '@mantine/core'
import { IconClipboardList } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useLocation, useSearch } from 'wouter'
import { Empty } from '../components/empty'
import { NextPage } from '../components/nextpage'
import { ProblemAlert } from '../components/problem'
import classes from '../reports/page.module.css'
import { ReportTable } from '../reports/table'
import { useTitle } from '../components/title'
import { columns } from './columns'
import { addressOf, filterOf } from './filter'
import { Filters } from './filters'
import { chosen, entriesQuery } from './queries'

/** Who did what on the server, the latest first. */
export default function AuditPage() {
  useTitle('Audit log')
  const [, navigate] = useLocation()
  const filter = filterOf(useSearch())
  const list = useInfiniteQuery(entriesQuery(filter))
  const entries = list.data?.pages.flatMap(({ items }) => items) ?? []
  const waiting = list.isPending || (list.isPlaceholderData && entries.length === 0)
  const filtered = Object.keys(chosen(filter)).length > 0
  return (
    <div className={classes.page} data-ready={list.isSuccess || undefined}>
      <Title order={1} size="h3">
        Audit log
      </Title>
      <Filters filter={filter} change={(next) => navigate(addressOf(next))} />
      {list.error !== null && <ProblemAlert error={list.error} again={() => void list.refetch()} />}
      {waiting && <Skeleton height={320} radius="md" />}
      {list.isSuccess && !waiting && entries.length === 0 && (
        <Empty
          title={filtered ? 'No entry is like this' : 'Nothing is logged yet'}
          icon={<IconClipboardList size={36} stroke={1.25} />}
        >
          {filtered
            ? 'Choose all actions, all outcomes or a longer time to see more.'
            : 'Reading of frames and messages, replays, exports, changes and refusals appear here.'}
        </Empty>
      )}
      {entries.length > 0 && (
        <div className={`${classes.parts} ${list.isPlaceholderData ? classes.stale : ''}`}>
          <ReportTable label="Entries" columns={columns} rows={entries} rowKey={({ id }) => id} />
          <NextPage list={list}>Show more entries</NextPage>
          <Text size="sm" c="dimmed">
            Entries appear about a second late, never hold recorded content, and are removed after the
            retention of the audit log.
          </Text>
        </div>
      )}
    </div>
  )
}
