import { IconMessageBolt } from '@tabler/icons-react'
import { ToRecord } from '../components/torecord'
import { duration, took } from '../format/duration'
import { count, counted, percent } from '../format/numbers'
import { Facts } from '../reports/facts'
import { ReportPage, type ReportKind } from '../reports/page'
import type { ReportParams } from '../reports/params'
import { PeriodChart } from '../reports/periodchart'
import { callColumns, rate } from './columns'
import { Distributions } from './distributions'
import { callGroupings, callsQuery, type CallReport, type CallRow } from './queries'
import { countAxis, failureSeries, timeAxis, timeSeries } from './series'
import { SingleCalls } from './single'

const kind: ReportKind<CallRow, CallReport> = {
  title: 'Model calls',
  route: '/v1/calls',
  groups: ['model'],
  query: callsQuery,
  empty: {
    title: 'No calls of models in this range',
    icon: <IconMessageBolt size={36} stroke={1.25} />,
    text: (range) => (
      <>
        No recorded session called a model: {range}. Choose a longer range, or{' '}
        <ToRecord>record a source</ToRecord> that calls one.
      </>
    ),
  },
  columns: (report, { totals }) => callColumns(report, totals),
  first: 'calls',
  summary: (answer) => <CallsSummary answer={answer} />,
  chart: (periods) => (
    <>
      <PeriodChart
        title="First tokens and gaps"
        periods={periods}
        series={timeSeries}
        axis={timeAxis}
        label={(names) => `First tokens and gaps by ${inPeriods(periods.report, names)}`}
      />
      <PeriodChart
        title="Errors and stalls"
        periods={periods}
        series={failureSeries}
        axis={countAxis}
        label={(names) => `Errors and stalls by ${inPeriods(periods.report, names)}`}
      />
    </>
  ),
  after: ({ distributions, calls }) => (
    <>
      {distributions !== null && <Distributions of={distributions} />}
      {calls.length > 0 && <SingleCalls calls={calls} />}
    </>
  ),
}

function inPeriods({ granularity }: ReportParams, names: readonly string[]): string {
  return `${granularity}, ${counted(names.length, granularity)}`
}

export default function CallsPage() {
  return <ReportPage kind={kind} groupings={callGroupings} />
}

function CallsSummary({ answer: { totals, stall_ms } }: { answer: CallReport }) {
  const perSecond = totals.tokens_per_second_p50
  return (
    <Facts
      facts={[
        { name: 'Calls', value: count(totals.calls), note: `${count(totals.streamed)} streamed` },
        { name: 'Errors', value: count(totals.errors), note: `${percent(totals.error_rate)} of all calls` },
        {
          name: 'Cut or refused',
          value: count(totals.truncated + totals.refused),
          note: `${count(totals.truncated)} truncated, ${count(totals.refused)} refused`,
        },
        {
          name: 'First token',
          value: took(totals.first_token_p50_ms),
          note: `p95 ${took(totals.first_token_p95_ms)}`,
        },
        { name: 'Tokens per second', value: perSecond === null ? '–' : rate(perSecond), note: 'median' },
        {
          name: 'Stalls',
          value: count(totals.stalls),
          note: `gaps from ${duration(stall_ms)}; longest ${took(totals.gap_max_ms)}`,
        },
      ]}
    />
  )
}
