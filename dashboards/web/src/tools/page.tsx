import { IconTool } from '@tabler/icons-react'
import { ToRecord } from '../components/torecord'
import { took } from '../format/duration'
import { count, counted, percent } from '../format/numbers'
import { Facts } from '../reports/facts'
import { ReportPage, type ReportKind } from '../reports/page'
import type { ReportParams } from '../reports/params'
import { PeriodChart } from '../reports/periodchart'
import { ToSessions } from '../reports/tosessions'
import { toolColumns } from './columns'
import { toolGroupings, toolsQuery, type ToolReport, type ToolRow, type ToolTimes } from './queries'
import { countAxis, errorSeries, timeAxis, timeSeries } from './series'
import { Slowest } from './slowest'

const tools: ReportKind<ToolRow, ToolReport> = {
  title: 'Tools',
  route: '/v1/tools',
  groups: ['tool'],
  query: toolsQuery,
  empty: {
    title: 'No tool calls in this range',
    icon: <IconTool size={36} stroke={1.25} />,
    text: (range) => (
      <>
        No recorded session called a tool: {range}. Choose a longer range, or{' '}
        <ToRecord>record a source</ToRecord> that calls tools.
      </>
    ),
  },
  columns: (report, { totals }) => toolColumns(report, totals),
  first: 'p95',
  summary: ({ totals }, report) => <ToolsSummary totals={totals} report={report} />,
  chart: (periods) => (
    <>
      <PeriodChart
        title="Times"
        periods={periods}
        series={timeSeries}
        axis={timeAxis}
        label={(names) => `Times of tool calls by ${inPeriods(periods.report, names)}`}
      />
      <PeriodChart
        title="Errors"
        periods={periods}
        series={errorSeries}
        axis={countAxis}
        label={(names) => `Errors of tool calls by ${inPeriods(periods.report, names)}`}
      />
    </>
  ),
  after: ({ slowest }) => slowest.length > 0 && <Slowest calls={slowest} />,
}

function inPeriods({ granularity }: ReportParams, names: readonly string[]): string {
  return `${granularity}, ${counted(names.length, granularity)}`
}

export default function ToolsPage() {
  return <ReportPage kind={tools} groupings={toolGroupings} />
}

function ToolsSummary({ totals, report }: { totals: ToolTimes; report: ReportParams }) {
  const to = (figure: string) => (
    <ToSessions report={report} row={null} of="tools">
      {figure}
    </ToSessions>
  )
  return (
    <Facts
      facts={[
        { name: 'Calls', value: to(count(totals.calls)), note: `${count(totals.timed)} with a duration` },
        {
          name: 'Errors',
          value: to(count(totals.errors)),
          note: `${percent(totals.error_rate)} of all calls`,
        },
        { name: 'Never ended', value: to(count(totals.open)), note: 'so far' },
        { name: 'p50', value: took(totals.p50_ms), note: `p90 ${took(totals.p90_ms)}` },
        { name: 'p95', value: took(totals.p95_ms), note: `max ${took(totals.max_ms)}` },
      ]}
    />
  )
}
