import { useQuery } from '@tanstack/react-query'
import { ProblemAlert } from '../components/problem'
import type { ReportParams } from '../reports/params'
import { UsageChart } from '../usage/chart'
import { usageQuery } from '../usage/queries'

/** Cost or tokens by period, stacked by model; nothing without usage. */
export function Spending({ report }: { report: ReportParams }) {
  const chart = useQuery(usageQuery(report, 'chart'))
  if (chart.error !== null) return <ProblemAlert error={chart.error} again={() => void chart.refetch()} />
  if (chart.data === undefined || chart.data.items.length === 0) return null
  return <UsageChart periods={{ report, answer: chart.data, loading: false }} totals={chart.data.totals} />
}
