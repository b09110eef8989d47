import { isZone, viewerZone } from '../format/zone'
import type { Schemas } from '../api/client'
import { everything, type Filter, formatFilter, parseFilter, toQuery } from '../filters/filter'

export type Granularity = Schemas['Granularity']
export const granularities: readonly Granularity[] = ['15m', 'hour', 'day', 'week', 'month', 'total']

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
  /** The date whose prices usage is priced at once more; "" for none. */
  asOf: string
  /** The model as whose calls usage is priced once more; "" for none. */
  whatIf: string
  /** Whether rows have what does not add up in their sessions. */
  findings: boolean
  /** Of which sessions it is: the filters of their list, whose range and order stay unused. */
  sessions: Filter
}

const usual = 'now-7d'

/** Reads an address's query. `groups` are the default groups. */
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
    asOf: params.get('as_of') ?? '',
    whatIf: params.get('what_if_model') ?? '',
    findings: params.get('findings') === '1',
    sessions: onlyNarrowing(parseFilter(search)),
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
  if (report.asOf !== '') params.set('as_of', report.asOf)
  if (report.whatIf !== '') params.set('what_if_model', report.whatIf)
  if (report.findings) params.set('findings', '1')
  const narrowed = formatFilter(report.sessions).replace('?', '&')
  return `?${params.toString()}${narrowed}`
}

/** A filter of sessions without what reports have of their own. */
export function onlyNarrowing(filter: Filter): Filter {
  return { ...filter, from: '', to: '', findings: false, columns: [], sort: everything.sort }
}

/** The API's parameters for the sessions that a report is of. */
function sessionParams({ sessions }: ReportParams) {
  const query = toQuery(sessions)
  delete query.sort
  return query
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
    ...sessionParams(report),
  }
}

/** The API's parameters for further costs of the same usage. */
export function costParams({ asOf, whatIf }: ReportParams) {
  return { ...(asOf !== '' && { as_of: asOf }), ...(whatIf !== '' && { what_if_model: whatIf }) }
}

/** The address of the calls of a report in a format, one row for each. */
export function callsAddress(report: ReportParams, format: 'csv' | 'ndjson' | 'parquet'): string {
  const { from, to, timezone } = report
  return `/v1/usage/calls?${queryText({
    ...(from !== '' && { from }),
    ...(to !== '' && { to }),
    timezone,
    ...sessionParams(report),
    ...costParams(report),
    format,
  })}`
}

/** The address of the table as CSV. */
export function csvAddress(route: '/v1/usage' | '/v1/tools' | '/v1/calls', report: ReportParams): string {
  return route === '/v1/usage' ? usageAddress(report, 'csv') : tableAddress(route, report, 'csv', {})
}

/** The address of the table of usage in a format. */
export function usageAddress(report: ReportParams, format: 'csv' | 'ndjson' | 'parquet'): string {
  return tableAddress('/v1/usage', report, format, { ...costParams(report), ...findingsParams(report) })
}

/** The API's parameter for what does not add up. */
export function findingsParams({ findings }: ReportParams) {
  return { ...(findings && { findings: '1' as const }) }
}

function tableAddress(route: string, report: ReportParams, format: string, more: Record<string, string>) {
  const { groupBy } = report
  return `${route}?${queryText({ ...apiParams(report, 'table'), ...more, group_by: groupBy.join(), format })}`
}

/** Parameters as a query; one of several values is there for each. */
function queryText(parameters: Record<string, string | number | readonly string[]>): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters))
    for (const one of typeof value === 'object' ? value : [value]) params.append(name, String(one))
  return params.toString()
}
