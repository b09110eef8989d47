import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, type Schemas } from '../api/client'
import { reported } from '../reports/answer'
import { apiParams, type ReportParams } from '../reports/params'

export type UsageReport = Schemas['UsageReport']
export type UsageRow = Schemas['UsageRow']
export type Spent = Schemas['Spent']

/** Tokens by period and group, for the chart or for the table. */
export const usageQuery = (report: ReportParams, part: 'chart' | 'table') => {
  const query = { ...apiParams(report, part), group_by: [...report.groupBy] }
  return queryOptions({
    queryKey: ['usage', query],
    queryFn: ({ signal }) => reported(api.GET('/v1/usage', { params: { query }, signal })),
    placeholderData: keepPreviousData,
  })
}
