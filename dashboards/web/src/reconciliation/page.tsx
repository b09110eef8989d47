import { Anchor, Skeleton, Text, Title } from '@mantine/core'
import { IconChecks } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import { Link, useLocation, useSearch } from 'wouter'
import { Empty } from '../components/empty'
import { NextPage } from '../components/nextpage'
import { ProblemAlert } from '../components/problem'
import { counted } from '../format/numbers'
import { viewerZone } from '../format/zone'
import { rangeName } from '../filters/range'
import { useTitle } from '../components/title'
import { ReconciliationBar } from './bar'
import { Differences } from './differences'
import { ExportSection } from './export'
import classes from './page.module.css'
import { formatParams, parseParams, type ReconciliationParams } from './params'
import { findingsQuery } from './queries'
import { differencesOf } from './rows'

/** What of the usage of sessions does not add up, and what a provider's export has that the record has not. */
export default function ReconciliationPage() {
  useTitle('Reconciliation')
  const [params, change] = useParams()
  const list = useInfiniteQuery(findingsQuery(params))
  const sessions = useMemo(() => list.data?.pages.flatMap(({ items }) => items) ?? [], [list.data])
  const rows = useMemo(() => differencesOf(sessions), [sessions])
  const waiting = list.isPending || (list.isPlaceholderData && rows.length === 0)
  return (
    <div className={classes.page} data-ready={list.isSuccess || undefined}>
      <header>
        <Title order={1} size="h3">
          Reconciliation
        </Title>
        <Text size="sm" c="dimmed" mt={2}>
          What of the recorded{' '}
          <Anchor component={Link} href="/usage" inherit underline="always">
            usage
          </Anchor>{' '}
          does not add up: against what the streams themselves state, and against a provider’s export.
        </Text>
      </header>
      <section aria-labelledby="sessions" className={classes.section}>
        <Title order={2} size="h5" id="sessions">
          Sessions
        </Title>
        <ReconciliationBar params={params} change={change} />
        {list.error !== null && <ProblemAlert error={list.error} again={() => void list.refetch()} />}
        {waiting && <Skeleton height={200} radius="md" />}
        {list.isSuccess && !waiting && rows.length === 0 && !list.hasNextPage && (
          <Empty title="Nothing found" icon={<IconChecks size={36} stroke={1.25} />}>
            {params.findings.length > 0
              ? 'No session has such a finding'
              : 'Usage adds up to what streams state, and none is missing'}
            : {rangeName(params, viewerZone)}.
          </Empty>
        )}
        {rows.length > 0 && (
          <div className={list.isPlaceholderData ? classes.stale : undefined}>
            <Differences rows={rows} />
          </div>
        )}
        {list.hasNextPage && !list.isPlaceholderData && (
          <div className={classes.more} role="status">
            <Text size="sm" c="dimmed">
              {counted(sessions.length, 'session')} with differences so far.
            </Text>
            <NextPage list={list}>Look at older sessions</NextPage>
          </div>
        )}
      </section>
      <ExportSection />
    </div>
  )
}

/** What the address asks for, and a way to ask for something else. */
function useParams(): [
  ReconciliationParams,
  (part: Partial<ReconciliationParams>, options?: { replace: boolean }) => void,
] {
  const search = useSearch()
  const [path, navigate] = useLocation()
  const params = useMemo(() => parseParams(search), [search])
  const change = useCallback(
    (part: Partial<ReconciliationParams>, options?: { replace: boolean }) =>
      navigate(path + formatParams({ ...params, ...part }), options),
    [params, navigate, path],
  )
  return [params, change]
}
