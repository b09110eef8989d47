import { keepPreviousData, type UseQueryOptions } from '@tanstack/react-query'
import { api, type Schemas } from '../api/client'
import { reported } from '../reports/answer'
import { apiParams, type ReportParams } from '../reports/params'

/** What the page shows of the answer. */
export type CallReport = Pick<
  Schemas['CallReport'],
  'items' | 'totals' | 'stall_ms' | 'distributions' | 'calls' | 'from' | 'to'
>
export type CallRow = Schemas['CallRow']
export type CallFigures = Schemas['CallFigures']
export type Call = Schemas['Call']
export type CallBin = Schemas['CallBin']

type Grouping = 'model' | 'provider' | 'agent' | 'session'
export const callGroupings: readonly Grouping[] = ['model', 'provider', 'agent', 'session']

/** How many single calls are listed: those with the longest gaps. */
const listed = 20

/** Figures: for the table by group, with distributions and single calls; for the chart by period alone. */
export const callsQuery = (report: ReportParams, part: 'chart' | 'table'): UseQueryOptions<CallReport> => {
  const groups = part === 'chart' ? [] : callGroupings.filter((grouping) => report.groupBy.includes(grouping))
  const table = part === 'table'
  const query = {
    ...apiParams(report, part),
    // Left out, the API groups by model; an empty name requests one group.
    group_by: groups.length > 0 ? groups : ['' as Grouping],
    limit: table ? listed : 0,
    ...(table && { distributions: '1' as const, order: 'longest_gap' as const }),
  }
  return {
    queryKey: ['calls', query],
    queryFn: ({ signal }) => reported(api.GET('/v1/calls', { params: { query }, signal })),
    placeholderData: keepPreviousData,
  }
}
