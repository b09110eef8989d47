import { keepPreviousData, type UseQueryOptions } from '@tanstack/react-query'
import { api, type Schemas } from '../api/client'
import { reported } from '../reports/answer'
import { apiParams, costParams, findingsParams, type ReportParams } from '../reports/params'

/** What the page shows of the answer. */
export type UsageReport = Pick<Schemas['UsageReport'], 'items' | 'totals' | 'prices' | 'from' | 'to'>
export type UsageRow = Schemas['UsageRow']
export type Spent = Schemas['Spent']
export type Figures = Schemas['UsageFigures']

/** Tokens by period and group, for the chart or for the table. */
export const usageQuery = (report: ReportParams, part: 'chart' | 'table'): UseQueryOptions<UsageReport> => {
  const query = {
    ...apiParams(report, part),
    ...costParams(report),
    ...(part === 'table' && findingsParams(report)),
    group_by: [...report.groupBy],
  }
  return {
    queryKey: ['usage', query],
    queryFn: ({ signal }) => reported(api.GET('/v1/usage', { params: { query }, signal })),
    placeholderData: keepPreviousData,
  }
}
