import { Anchor } from '@mantine/core'
import { IconChartBar } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { ToRecord } from '../components/torecord'
import { ReportPage, type ReportKind } from '../reports/page'
import { facetsQuery } from '../filters/queries'
import { UsageChart } from './chart'
import { UsageControls } from './controls'
import { usageColumns } from './columns'
import { usageQuery, type UsageReport, type UsageRow } from './queries'
import { UsageSummary } from './summary'
import { UnpricedTables } from './unpriced'

const groupings = [
  'model',
  'provider',
  'agent',
  'node',
  'session',
  'run',
  'tenant',
  'dialect',
  'service_tier',
  'status',
]

const usage: ReportKind<UsageRow, UsageReport> = {
  title: 'Usage',
  beside: (
    <Anchor component={Link} href="/usage/reconciliation" size="sm">
      Reconciliation
    </Anchor>
  ),
  route: '/v1/usage',
  groups: ['model'],
  query: usageQuery,
  empty: {
    title: 'No usage in this range',
    icon: <IconChartBar size={36} stroke={1.25} />,
    text: (range) => (
      <>
        No recorded call used tokens: {range}. Choose a longer range, or <ToRecord>record a source</ToRecord>{' '}
        that reports its usage.
      </>
    ),
  },
  columns: (report, { totals }) => usageColumns(report, totals),
  first: 'cost',
  summary: ({ totals }, report) => <UsageSummary totals={totals} report={report} />,
  chart: (periods, { totals }) => <UsageChart periods={periods} totals={totals} />,
  controls: (report, change) => <UsageControls report={report} change={change} />,
  after: ({ totals }, report) => <UnpricedTables totals={totals} report={report} />,
}

export default function UsagePage() {
  const facets = useQuery(facetsQuery)
  return (
    <ReportPage
      kind={usage}
      groupings={[...groupings, ...(facets.data?.tags.map((tag) => `tag:${tag}`) ?? [])]}
    />
  )
}
