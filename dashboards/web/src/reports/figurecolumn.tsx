import { count } from '../format/numbers'
import { Figure } from './figure'
import type { ReportParams } from './params'
import type { Grouped } from './rows'
import type { Column } from './column'
import { type Counted, ToSessions } from './tosessions'

/**
 * Returns what makes a column of a figure that rows and totals have. The figure leads to the sessions that it is of;
 * without `write` it is a count.
 */
export function figureColumn<Row extends Grouped & Totals, Totals>(
  report: ReportParams,
  totals: Totals,
  { of: counted, unpriced }: { of: Counted; unpriced?: boolean },
) {
  return (
    name: string,
    hint: string,
    of: (figures: Totals) => number | null,
    write: (value: number) => string = count,
  ): Column<Row> => ({
    name,
    hint,
    figure: true,
    key: of,
    cell: (row) => (
      <ToSessions report={report} row={row} of={counted} unpriced={unpriced}>
        <Figure value={of(row)} write={write} />
      </ToSessions>
    ),
    total: (
      <ToSessions report={report} row={null} of={counted} unpriced={unpriced}>
        <Figure value={of(totals)} write={write} />
      </ToSessions>
    ),
  })
}
