import { Alert, SegmentedControl, Skeleton, Title } from '@mantine/core'
import { IconAlertTriangle, IconChartBar } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { Empty } from '../components/empty'
import { ProblemAlert } from '../components/problem'
import { compact, count, counted } from '../format/numbers'
import { ToRecord } from '../components/torecord'
import { ReportBar } from '../reports/bar'
import { Chart, type Axis } from '../reports/chart'
import { Facts } from '../reports/facts'
import classes from '../reports/page.module.css'
import { csvAddress, type ReportParams } from '../reports/params'
import { periodName, periodStarts } from '../reports/periods'
import { rangeName } from '../reports/range'
import { rowKey } from '../reports/rows'
import { RowsSwitch } from '../reports/rowsswitch'
import { ReportTable } from '../reports/table'
import { useReport } from '../reports/usereport'
import { facetsQuery } from '../sessions/queries'
import { useTitle } from '../shell/title'
import { usageColumns } from './columns'
import { Cost, unpriced } from './cost'
import { tokenSeries, type Split } from './layers'
import { usageQuery, type Spent, type UsageReport, type UsageRow } from './queries'

const groups = ['model']
const groupings = ['model', 'provider', 'agent', 'node', 'session', 'tenant']
const axes: readonly Axis[] = [{ format: compact }]

export default function UsagePage() {
  useTitle('Usage')
  const [report, change] = useReport(groups)
  const facets = useQuery(facetsQuery)
  const table = useQuery(usageQuery(report, 'table'))
  const chart = useQuery(usageQuery(report, 'chart'))
  const error = table.error ?? chart.error
  return (
    <div className={classes.page} data-ready={table.isSuccess || undefined}>
      <Title order={1} size="h3">
        Usage
      </Title>
      <ReportBar
        report={report}
        change={change}
        groupings={[...groupings, ...(facets.data?.tags.map((tag) => `tag:${tag}`) ?? [])]}
        csv={csvAddress('/v1/usage', report)}
      />
      {error !== null && (
        <ProblemAlert error={error} again={() => void Promise.all([table.refetch(), chart.refetch()])} />
      )}
      {error === null && table.data === undefined && <Skeleton height={320} radius="md" />}
      {table.data?.items.length === 0 && (
        <Empty title="No tokens were used" icon={<IconChartBar size={36} stroke={1.25} />}>
          Nothing was told of in this range: {rangeName(report, report.timezone)}. Choose a longer one, or{' '}
          <ToRecord>record something</ToRecord> that names its usage.
        </Empty>
      )}
      {table.data !== undefined && table.data.items.length > 0 && (
        <div className={table.isPlaceholderData ? classes.stale : undefined}>
          <UsageFigures
            report={report}
            change={change}
            rows={table.data.items}
            totals={table.data.totals}
            periods={chart.data ?? nothing}
          />
        </div>
      )}
    </div>
  )
}

/** What is drawn before there is an answer. */
const nothing: Told = { items: [], from: null, to: null }

type Told = Pick<UsageReport, 'items' | 'from' | 'to'>

function UsageFigures({
  report,
  change,
  rows,
  totals,
  periods,
}: {
  report: ReportParams
  change: (part: Partial<ReportParams>) => void
  rows: readonly UsageRow[]
  totals: Spent
  periods: Told
}) {
  const [split, setSplit] = useState<Split>('bucket')
  const { granularity, timezone, groupBy } = report
  const starts = useMemo(
    () => periodStarts(periods.items, periods, granularity, timezone),
    [periods, granularity, timezone],
  )
  const names = useMemo(
    () => starts.map((at) => periodName(at, granularity, timezone)),
    [starts, granularity, timezone],
  )
  const series = useMemo(
    () => tokenSeries(periods.items, starts, split, groupBy),
    [periods, starts, split, groupBy],
  )
  const { tokens, calls } = totals
  return (
    <div className={classes.page} style={{ padding: 0 }}>
      <Facts
        facts={[
          { name: 'Tokens', value: compact(tokens.total), note: `${count(tokens.total)} in all` },
          { name: 'Calls', value: count(calls), note: 'of models' },
          {
            name: 'Read from caches',
            value: compact(tokens.cache_read),
            note: shareOf(tokens.cache_read, tokens),
          },
          {
            name: 'Output',
            value: compact(tokens.output + tokens.reasoning),
            note: reasoned(tokens.reasoning),
          },
          { name: 'Cost', value: <Cost spent={totals} />, note: unpriced(totals) || 'of all calls' },
        ]}
      />
      {totals.usage_discrepancies > 0 && (
        <Alert color="yellow" variant="light" icon={<IconAlertTriangle />} p="sm">
          {counted(totals.usage_discrepancies, 'record states a total', 'records state a total')} that is not
          the sum of its parts. The parts are counted here; the sessions show which.
        </Alert>
      )}
      <div className={classes.tools}>
        <Title order={2} size="h5">
          Tokens by {granularity}
        </Title>
        <SegmentedControl
          size="xs"
          aria-label="What the chart shows"
          value={split}
          data={[
            { value: 'bucket', label: 'by bucket' },
            { value: 'group', label: `by ${groupBy.join(', ') || 'group'}` },
          ]}
          onChange={(value) => setSplit(value)}
        />
      </div>
      <Chart
        periods={names}
        series={series}
        axes={axes}
        label={`Tokens by ${granularity}, ${names[0] ?? ''} to ${names.at(-1) ?? ''}: ${count(tokens.total)} in all`}
      />
      <div className={classes.tools}>
        <Title order={2} size="h5">
          In figures
        </Title>
        <RowsSwitch report={report} change={change} />
      </div>
      <ReportTable
        label="Tokens in figures"
        columns={usageColumns(report, totals)}
        rows={rows}
        rowKey={(row) => rowKey(row, groupBy)}
      />
    </div>
  )
}

function shareOf(cached: number, tokens: Spent['tokens']): string {
  const input = tokens.input + tokens.cache_read + tokens.cache_write_5m + tokens.cache_write_1h
  return input === 0 ? 'of no input' : `${Math.round((100 * cached) / input)} % of the input`
}

function reasoned(reasoning: number): string {
  return reasoning === 0 ? 'without reasoning' : `${compact(reasoning)} of it reasoning`
}
