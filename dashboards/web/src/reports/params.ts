import { isZone, viewerZone } from '../format/zone'
import type { Schemas } from '../api/client'

export type Granularity = Exclude<Schemas['Granularity'], '15m' | 'week' | 'total'>
export const granularities: readonly Granularity[] = ['hour', 'day', 'month']

/** The parameters of a report: the query of its address. */
export interface ReportParams {
  /** As the API reads times; "" for no limit, as with `to`. */
  from: string
  to: string
  timezone: string
  /** How long the chart's periods are. */
  granularity: Granularity
  groupBy: readonly string[]
  /** Whether the table has a row for each period, too. */
  byPeriod: boolean
}

const usual = 'now-7d'

/** Reads an address's query. `groups` is what is grouped by where nothing is named. */
export function parseReport(search: string, groups: readonly string[]): ReportParams {
  const params = new URLSearchParams(search)
  const from = params.get('from') ?? (params.has('to') ? '' : usual)
  const zone = params.get('timezone') ?? ''
  const named = params.get('group_by')
  return {
    from,
    to: params.get('to') ?? '',
    timezone: zone !== '' && isZone(zone) ? zone : viewerZone,
    granularity: granularities.find((one) => one === params.get('granularity')) ?? fitting(from),
    groupBy: named === null ? groups : named.split(',').filter((name) => name !== ''),
    byPeriod: params.get('rows') === 'periods',
  }
}

/**
 * The address's query, "?…". What is as usual is left out, but for the time zone: the link means the same
 * days to everybody.
 */
export function formatReport(report: ReportParams, groups: readonly string[]): string {
  const params = new URLSearchParams()
  if (report.from !== usual || report.to !== '') params.set('from', report.from)
  if (report.to !== '') params.set('to', report.to)
  params.set('timezone', report.timezone)
  if (report.granularity !== fitting(report.from)) params.set('granularity', report.granularity)
  if (report.groupBy.join() !== groups.join()) params.set('group_by', report.groupBy.join())
  if (report.byPeriod) params.set('rows', 'periods')
  return `?${params.toString()}`
}

/** How long periods are, where nothing is named. */
function fitting(from: string): Granularity {
  if (from === 'now-1h' || from === 'now-24h') return 'hour'
  return from === '' ? 'month' : 'day'
}

/** The API's parameters, for the chart's periods or for the table's rows. */
export function apiParams(report: ReportParams, part: 'chart' | 'table') {
  return {
    ...(report.from !== '' && { from: report.from }),
    ...(report.to !== '' && { to: report.to }),
    timezone: report.timezone,
    granularity: part === 'chart' || report.byPeriod ? report.granularity : ('total' as const),
  }
}

/** The address of the table as CSV. */
export function csvAddress(route: '/v1/usage' | '/v1/tools', report: ReportParams): string {
  const params = new URLSearchParams({
    ...apiParams(report, 'table'),
    group_by: report.groupBy.join(),
    format: 'csv',
  })
  return `${route}?${params.toString()}`
}
