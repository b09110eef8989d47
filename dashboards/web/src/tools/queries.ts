import { keepPreviousData, type UseQueryOptions } from '@tanstack/react-query'
import { api, type Schemas } from '../api/client'
import { reported } from '../reports/answer'
import { apiParams, type ReportParams } from '../reports/params'

/** What the page shows of the answer. */
export type ToolReport = Pick<Schemas['ToolReport'], 'items' | 'totals' | 'slowest' | 'from' | 'to'>
export type ToolRow = Schemas['ToolRow']
export type ToolTimes = Schemas['ToolTimes']
export type SlowCall = Schemas['SlowCall']

type Grouping = 'tool' | 'agent' | 'session'
export const toolGroupings: readonly Grouping[] = ['tool', 'agent', 'session']

/** How many of the slowest calls are listed. */
const slowest = 20

/**
 * Calls and times: for the table by group, with the slowest calls; for the chart by period alone, since quantiles
 * cannot be added up over groups.
 */
export const toolsQuery = (report: ReportParams, part: 'chart' | 'table'): UseQueryOptions<ToolReport> => {
  const groups = part === 'chart' ? [] : toolGroupings.filter((grouping) => report.groupBy.includes(grouping))
  const query = {
    ...apiParams(report, part),
    // Left out, the API groups by tool; an empty name requests one group.
    group_by: groups.length > 0 ? groups : ['' as Grouping],
    ...(part === 'table' && { slowest }),
  }
  return {
    queryKey: ['tools', query],
    queryFn: ({ signal }) => reported(api.GET('/v1/tools', { params: { query }, signal })),
    placeholderData: keepPreviousData,
  }
}
