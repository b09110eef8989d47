import { duration } from '../format/duration'
import { count, percent } from '../format/numbers'
import { Figure } from '../reports/figure'
import { groupColumns } from '../reports/groupcolumns'
import type { ReportParams } from '../reports/params'
import type { Column } from '../reports/table'
import { ToSessions } from '../reports/tosessions'
import type { ToolRow, ToolTimes } from './queries'

const times = [
  { name: 'min', of: (row: ToolTimes) => row.min_ms },
  { name: 'avg', of: (row: ToolTimes) => row.avg_ms },
  { name: 'p50', of: (row: ToolTimes) => row.p50_ms },
  { name: 'p90', of: (row: ToolTimes) => row.p90_ms },
  { name: 'p95', of: (row: ToolTimes) => row.p95_ms },
  { name: 'p99', of: (row: ToolTimes) => row.p99_ms },
  { name: 'max', of: (row: ToolTimes) => row.max_ms },
]

export function toolColumns(report: ReportParams, totals: ToolTimes): Column<ToolRow>[] {
  const figure = (
    name: string,
    hint: string,
    of: (row: ToolTimes) => number | null,
    write: (value: number) => string,
  ): Column<ToolRow> => ({
    name,
    hint,
    figure: true,
    key: of,
    cell: (row) => (
      <ToSessions report={report} row={row}>
        <Figure value={of(row)} write={write} />
      </ToSessions>
    ),
    total: (
      <ToSessions report={report} row={null}>
        <Figure value={of(totals)} write={write} />
      </ToSessions>
    ),
  })
  return [
    ...groupColumns<ToolRow>(report),
    figure('calls', 'All calls, those that never ended with them.', ({ calls }) => calls, count),
    figure('errors', 'Calls that failed.', ({ errors }) => errors, count),
    figure('error rate', 'Errors of all calls.', ({ error_rate }) => error_rate, percent),
    figure('open', 'Calls that never ended, or have not so far.', ({ open }) => open, count),
    ...times.map(({ name, of }) => figure(name, 'Of the calls that ended and have a time.', of, duration)),
  ]
}
