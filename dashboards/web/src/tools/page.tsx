import { Skeleton, Title } from '@mantine/core'
import { IconTool } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { Empty } from '../components/empty'
import { ProblemAlert } from '../components/problem'
import { duration } from '../format/duration'
import { count, counted, percent } from '../format/numbers'
import { ToRecord } from '../components/torecord'
import { ReportBar } from '../reports/bar'
import { Chart } from '../reports/chart'
import { Facts } from '../reports/facts'
import classes from '../reports/page.module.css'
import { csvAddress, type ReportParams } from '../reports/params'
import { periodName, periodStarts } from '../reports/periods'
import { rangeName } from '../reports/range'
import { rowKey } from '../reports/rows'
import { RowsSwitch } from '../reports/rowsswitch'
import { ReportTable } from '../reports/table'
import { useReport } from '../reports/usereport'
import { useTitle } from '../shell/title'
import { toolColumns } from './columns'
import { toolGroupings, toolsOverTimeQuery, toolsQuery, type ToolReport, type ToolTimes } from './queries'
import { axes, timeSeries } from './series'
import { Slowest } from './slowest'

const groups = ['tool']
/** What is drawn before there is an answer. */
const nothing: Told = { items: [], from: null, to: null }

type Told = Pick<ToolReport, 'items' | 'from' | 'to'>

export default function ToolsPage() {
  useTitle('Tools')
  const [report, change] = useReport(groups)
  const table = useQuery(toolsQuery(report))
  const chart = useQuery(toolsOverTimeQuery(report))
  const error = table.error ?? chart.error
  return (
    <div className={classes.page} data-ready={table.isSuccess || undefined}>
      <Title order={1} size="h3">
        Tools
      </Title>
      <ReportBar
        report={report}
        change={change}
        groupings={toolGroupings}
        csv={csvAddress('/v1/tools', report)}
      />
      {error !== null && (
        <ProblemAlert error={error} again={() => void Promise.all([table.refetch(), chart.refetch()])} />
      )}
      {error === null && table.data === undefined && <Skeleton height={320} radius="md" />}
      {table.data?.items.length === 0 && (
        <Empty title="No tools were called" icon={<IconTool size={36} stroke={1.25} />}>
          No session of this range calls one: {rangeName(report, report.timezone)}. Choose a longer one, or{' '}
          <ToRecord>record something</ToRecord> that calls tools.
        </Empty>
      )}
      {table.data !== undefined && table.data.items.length > 0 && (
        <div className={table.isPlaceholderData ? classes.stale : undefined}>
          <div className={classes.page} style={{ padding: 0 }}>
            <TimesFacts totals={table.data.totals} />
            <OverTime report={report} told={chart.data ?? nothing} />
            <div className={classes.tools}>
              <Title order={2} size="h5">
                In figures
              </Title>
              <RowsSwitch report={report} change={change} />
            </div>
            <ReportTable
              label="Tool calls in figures"
              columns={toolColumns(report, table.data.totals)}
              rows={table.data.items}
              rowKey={(row) => rowKey(row, report.groupBy)}
            />
            {table.data.slowest.length > 0 && <Slowest calls={table.data.slowest} />}
          </div>
        </div>
      )}
    </div>
  )
}

function TimesFacts({ totals }: { totals: ToolTimes }) {
  const took = (ms: number | null) => (ms === null ? '–' : duration(ms))
  return (
    <Facts
      facts={[
        { name: 'Calls', value: count(totals.calls), note: `${count(totals.timed)} with a time` },
        { name: 'Errors', value: count(totals.errors), note: `${percent(totals.error_rate)} of all calls` },
        { name: 'Never ended', value: count(totals.open), note: 'so far' },
        { name: 'Median', value: took(totals.p50_ms), note: `90 % within ${took(totals.p90_ms)}` },
        { name: '95 % within', value: took(totals.p95_ms), note: `the slowest ${took(totals.max_ms)}` },
      ]}
    />
  )
}

function OverTime({ report, told }: { report: ReportParams; told: Told }) {
  const { granularity, timezone } = report
  const starts = useMemo(
    () => periodStarts(told.items, told, granularity, timezone),
    [told, granularity, timezone],
  )
  const names = useMemo(
    () => starts.map((at) => periodName(at, granularity, timezone)),
    [starts, granularity, timezone],
  )
  const series = useMemo(() => timeSeries(told.items, starts), [told, starts])
  return (
    <>
      <Title order={2} size="h5">
        Times and errors by {granularity}
      </Title>
      <Chart
        periods={names}
        series={series}
        axes={axes}
        label={`Times of tool calls and errors by ${granularity}, ${counted(names.length, granularity)}`}
      />
    </>
  )
}
