import { Alert } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { compact, count, counted } from '../format/numbers'
import { Facts } from '../reports/facts'
import type { ReportParams } from '../reports/params'
import { ToSessions } from '../reports/tosessions'
import { CostFigures } from './figures'
import type { Figures, Spent } from './queries'

/** The totals of a range, and whether its records add up. */
export function UsageSummary({ totals, report }: { totals: Figures; report: ReportParams }) {
  const { tokens, calls } = totals
  const to = (figure: string) => (
    <ToSessions report={report} row={null} of="usage">
      {figure}
    </ToSessions>
  )
  return (
    <>
      <Facts
        facts={[
          { name: 'Tokens', value: to(compact(tokens.total)), note: `${count(tokens.total)} in all` },
          { name: 'Calls', value: to(count(calls)), note: 'of models' },
          {
            name: 'Read from caches',
            value: to(compact(tokens.cache_read)),
            note: shareOf(tokens.cache_read, tokens),
          },
          {
            name: 'Output',
            value: to(compact(tokens.output + tokens.reasoning)),
            note: reasoned(tokens.reasoning),
          },
        ]}
      />
      <CostFigures totals={totals} report={report} />
      {totals.usage_discrepancies > 0 && (
        <Alert color="yellow" variant="light" icon={<IconAlertTriangle />} p="sm">
          {counted(totals.usage_discrepancies, 'record states a total', 'records state a total')} that is not
          the sum of its buckets. The sum is counted here; the sessions list the records.
        </Alert>
      )}
    </>
  )
}

function shareOf(cached: number, tokens: Spent['tokens']): string {
  const input = tokens.input + tokens.cache_read + tokens.cache_write_5m + tokens.cache_write_1h
  return input === 0 ? 'of no input' : `${Math.round((100 * cached) / input)} % of the input`
}

function reasoned(reasoning: number): string {
  return reasoning === 0 ? 'without reasoning' : `${compact(reasoning)} of it reasoning`
}
