import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, type Schemas } from '../api/client'
import { reported } from '../reports/answer'
import { apiParams, type ReportParams } from '../reports/params'

export type ToolReport = Schemas['ToolReport']
export type ToolRow = Schemas['ToolRow']
export type ToolTimes = Schemas['ToolTimes']
export type SlowCall = Schemas['SlowCall']

type Grouping = 'tool' | 'agent' | 'session'
export const toolGroupings: readonly Grouping[] = ['tool', 'agent', 'session']

/** How many of the slowest calls are listed. */
const slowest = 20

/** Calls and times by group, with the slowest calls. */
export const toolsQuery = (report: ReportParams) => {
  const groupBy = toolGroupings.filter((grouping) => report.groupBy.includes(grouping))
  // Left out, tools would be grouped by; an empty name asks for one group.
  const query = {
    ...apiParams(report, 'table'),
    group_by: groupBy.length > 0 ? groupBy : ['' as Grouping],
    slowest,
  }
  return queryOptions({
    queryKey: ['tools', query],
    queryFn: ({ signal }) => reported(api.GET('/v1/tools', { params: { query }, signal })),
    placeholderData: keepPreviousData,
  })
}

/** Calls and times by period alone: quantiles cannot be added up over groups. */
export const toolsOverTimeQuery = (report: ReportParams) => {
  const query = { ...apiParams(report, 'chart'), group_by: ['' as Grouping] }
  return queryOptions({
    queryKey: ['tools', 'periods', query],
    queryFn: ({ signal }) => reported(api.GET('/v1/tools', { params: { query }, signal })),
    placeholderData: keepPreviousData,
  })
}
