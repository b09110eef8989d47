import { Skeleton, Title } from '@mantine/core'
import { useQuery, type UseQueryOptions } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Empty } from '../components/empty'
import { ProblemAlert } from '../components/problem'
import { useTitle } from '../components/title'
import { ReportBar } from './bar'
import classes from './page.module.css'
import { csvAddress, type ReportParams } from './params'
import { rangeName } from '../filters/range'
import { rowKey, type Grouped } from './rows'
import { RowsSwitch } from './rowsswitch'
import type { Column } from './column'
import { ReportTable } from './table'
import { useReport } from './usereport'

/** What the API answers to a report. */
export interface ReportAnswer<Row> {
  items: readonly Row[]
  /** The limits of the range, null where it is open. */
  from: string | null
  to: string | null
}

/** The rows by period, for a chart, with the report that they answer. */
export interface Periods<Row> {
  report: ReportParams
  answer: ReportAnswer<Row>
  /** There is no answer yet. */
  loading: boolean
}

/** A report: what is asked of the API, and how its parts are drawn. */
export interface ReportKind<Row extends Grouped, Answer extends ReportAnswer<Row>> {
  title: string
  /** What is beside the title, such as a link. */
  beside?: ReactNode
  route: '/v1/usage' | '/v1/tools' | '/v1/calls'
  /** What is grouped by where the address names nothing. */
  groups: readonly string[]
  /** The request for the chart's periods or for the table's rows. */
  query: (report: ReportParams, part: 'chart' | 'table') => UseQueryOptions<Answer>
  empty: { title: string; icon: ReactNode; text: (range: string) => ReactNode }
  columns: (report: ReportParams, answer: Answer) => Column<Row>[]
  /** The column by which rows of the whole range are ordered at first, the highest on top. */
  first: string
  /** The totals and notices above the chart. */
  summary: (answer: Answer, report: ReportParams) => ReactNode
  chart: (periods: Periods<Row>, answer: Answer) => ReactNode
  /** Further controls in the bar. */
  controls?: (report: ReportParams, change: (part: Partial<ReportParams>) => void) => ReactNode
  /** What follows the table. */
  after?: (answer: Answer, report: ReportParams) => ReactNode
}

/** A report's page: range and filters, totals, a chart by period, and the table, also as CSV. */
export function ReportPage<Row extends Grouped, Answer extends ReportAnswer<Row>>({
  kind,
  groupings,
}: {
  kind: ReportKind<Row, Answer>
  groupings: readonly string[]
}) {
  const { title, route } = kind
  useTitle(title)
  const [report, change] = useReport(kind.groups)
  const table = useQuery(kind.query(report, 'table'))
  const chart = useQuery(kind.query(report, 'chart'))
  const error = table.error ?? chart.error
  const answer = table.data
  const empty = answer?.items.length === 0
  // An empty answer for another range says nothing about this one.
  const waiting = answer === undefined || (table.isPlaceholderData && empty)
  return (
    <div className={classes.page} data-ready={table.isSuccess || undefined}>
      <div className={classes.head}>
        <Title order={1} size="h3">
          {title}
        </Title>
        {kind.beside}
      </div>
      <ReportBar report={report} change={change} groupings={groupings} csv={csvAddress(route, report)}>
        {kind.controls?.(report, change)}
      </ReportBar>
      {error !== null && (
        <ProblemAlert error={error} again={() => void Promise.all([table.refetch(), chart.refetch()])} />
      )}
      {error === null && waiting && <Skeleton height={320} radius="md" />}
      {!waiting && empty && (
        <Empty title={kind.empty.title} icon={kind.empty.icon}>
          {kind.empty.text(rangeName(report, report.timezone))}
        </Empty>
      )}
      {answer !== undefined && answer.items.length > 0 && (
        <div className={`${classes.parts} ${table.isPlaceholderData ? classes.stale : ''}`}>
          {kind.summary(answer, report)}
          {kind.chart({ report, answer: chart.data ?? noPeriods, loading: chart.isPending }, answer)}
          <div className={classes.tools}>
            <Title order={2} size="h5">
              Table
            </Title>
            <RowsSwitch report={report} change={change} />
          </div>
          <ReportTable
            key={String(report.byPeriod)}
            label={`${title} table`}
            columns={kind.columns(report, answer)}
            rows={answer.items}
            rowKey={(row) => rowKey(row, report.groupBy)}
            {...(!report.byPeriod && { first: kind.first })}
          />
          {kind.after?.(answer, report)}
        </div>
      )}
    </div>
  )
}

/** What a chart draws before there is an answer. */
const noPeriods: ReportAnswer<never> = { items: [], from: null, to: null }
