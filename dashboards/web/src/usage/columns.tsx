import type { ReactNode } from 'react'
import { Cost } from '../components/cost'
import { count, counted } from '../format/numbers'
import { Figure } from '../reports/figure'
import { figureColumn } from '../reports/figurecolumn'
import { groupColumns } from '../reports/groupcolumns'
import type { ReportParams } from '../reports/params'
import type { Column } from '../reports/column'
import { ToSessions } from '../reports/tosessions'
import { buckets } from './buckets'
import { FurtherCost, repriced, statedText, whatIf, type Further } from './figures'
import type { Figures, Spent, UsageRow } from './queries'

export function usageColumns(report: ReportParams, totals: Figures): Column<UsageRow>[] {
  const to = (row: UsageRow | null, figure: ReactNode, unpriced = false) => (
    <ToSessions report={report} row={row} of="usage" unpriced={unpriced}>
      {figure}
    </ToSessions>
  )
  const further = (name: string, hint: string, of: (figures: Figures) => Further): Column<UsageRow> => ({
    name,
    hint,
    figure: true,
    key: (row) => of(row).cost && Number(of(row).cost?.amount),
    cell: (row) => to(row, <FurtherCost further={of(row)} />),
    total: to(null, <FurtherCost further={of(totals)} />),
  })
  const figure = figureColumn<UsageRow, Spent>(report, totals, { of: 'usage' })
  const withoutPrice = figureColumn<UsageRow, Spent>(report, totals, { of: 'usage', unpriced: true })
  return [
    ...groupColumns<UsageRow>(report),
    figure(
      'calls',
      'Usage records: calls of a model, where the source reports one for each.',
      ({ calls }) => calls,
    ),
    ...buckets.map(({ bucket, name, hint }) => figure(name, hint, ({ tokens }) => tokens[bucket])),
    figure('tokens', 'The sum of all buckets.', ({ tokens }) => tokens.total),
    {
      name: 'cost',
      hint: 'Of the calls that have a price, at the prices of their time.',
      figure: true,
      key: ({ cost }) => cost && Number(cost.amount),
      cell: (row) => to(row, <Cost spent={row} />, row.cost === null && row.unpriced_calls > 0),
      total: to(null, <Cost spent={totals} />),
    },
    ...(report.asOf === '' ? [] : [further('re-priced', `At the prices of ${report.asOf}.`, repriced)]),
    ...(report.whatIf === '' ? [] : [further('what if', `As calls of ${report.whatIf}.`, whatIf)]),
    ...(totals.stated_costs.length === 0
      ? []
      : [
          {
            name: 'stated',
            hint: 'What sources state that calls cost. Not every call has such a figure.',
            figure: true,
            key: ({ stated_costs }: UsageRow) =>
              stated_costs[0] === undefined ? null : Number(stated_costs[0].amount),
            cell: (row: UsageRow) => to(row, statedText(row)),
            total: to(null, statedText(totals)),
          } satisfies Column<UsageRow>,
        ]),
    withoutPrice('unpriced', 'Calls that the cost does not include.', (spent) => spent.unpriced_calls),
    figure(
      'mismatches',
      'Records that state a total which is not the sum of their buckets.',
      (spent) => spent.usage_discrepancies,
    ),
    ...(report.findings
      ? [
          {
            name: 'findings',
            hint: 'What does not add up in the sessions whose usage is in the row. Findings are of whole sessions.',
            figure: true,
            key: ({ findings }: UsageRow) => findings?.findings ?? null,
            cell: (row: UsageRow) => to(row, <FindingsOf findings={row.findings} />),
            total: to(null, <FindingsOf findings={totals.findings} />),
          } satisfies Column<UsageRow>,
        ]
      : []),
  ]
}

/** How many findings there are, and of which kinds. */
function FindingsOf({ findings }: { findings: Figures['findings'] }) {
  if (findings === undefined || findings.findings === 0) return <Figure value={0} write={count} />
  return (
    <span
      title={findings.codes
        .map(
          ({ code, count: n, sessions }) =>
            `${code.replaceAll('_', ' ')}: ${n} in ${counted(sessions, 'session')}`,
        )
        .join('\n')}
    >
      {count(findings.findings)}
    </span>
  )
}
