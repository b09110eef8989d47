import { duration } from '../format/duration'
import { percent } from '../format/numbers'
import { figureColumn } from '../reports/figurecolumn'
import { groupColumns } from '../reports/groupcolumns'
import type { ReportParams } from '../reports/params'
import type { Column } from '../reports/column'
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
  const figure = figureColumn<ToolRow, ToolTimes>(report, totals, { of: 'tools' })
  return [
    ...groupColumns<ToolRow>(report),
    figure('calls', 'All calls, those that never ended with them.', ({ calls }) => calls),
    figure('errors', 'Calls that failed.', ({ errors }) => errors),
    figure('error rate', 'Errors of all calls.', ({ error_rate }) => error_rate, percent),
    figure('open', 'Calls that never ended, or have not so far.', ({ open }) => open),
    ...times.map(({ name, of }) => figure(name, 'Of the calls that ended and have a time.', of, duration)),
  ]
}
