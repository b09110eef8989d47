import type { paths } from '../api/schema.gen'
import { costAmount } from './amounts'

export type SessionsQuery = NonNullable<paths['/v1/sessions']['get']['parameters']['query']>
export type Sort = NonNullable<SessionsQuery['sort']>
export type Status = NonNullable<SessionsQuery['status']>[number]

export const sorts: readonly Sort[] = [
  '-started',
  'started',
  '-last_at',
  'last_at',
  '-duration',
  'duration',
  '-tokens',
  'tokens',
  '-cost',
  'cost',
]
export const statuses: readonly Status[] = [
  'running',
  'quiet',
  'lost',
  'ok',
  'error',
  'cancelled',
  'incomplete',
]

/** Filters that hold several values, any of which will do (of tags and of what is unknown all). */
const facetLists = ['agent', 'tool', 'model', 'dialect', 'tag'] as const
export const lists = [
  ...facetLists,
  'provider',
  'run',
  'node',
  'service_tier',
  'call_status',
  'unknown',
  'label',
  'thumb',
] as const
export type List = (typeof lists)[number]
/** Lists in which "" stands for an unknown name, of usage or of tool calls. */
const unnamed: readonly List[] = ['agent', 'tool', 'model', 'provider', 'run', 'node', 'service_tier']
const takesUnknown = (list: List): boolean => unnamed.includes(list)
/** Lists whose known values the API names. */
export type FacetList = (typeof facetLists)[number]

/**
 * Which sessions are listed, and in which order: the query of the address. Values are as
 * the API takes them; "" and [] mean no limit.
 */
export interface Filter extends Record<List, readonly string[]> {
  q: string
  from: string
  to: string
  min_duration: string
  max_duration: string
  running_for: string
  silent_for: string
  min_tokens: string
  max_tokens: string
  min_cost: string
  max_cost: string
  status: readonly Status[]
  /** Whether only sessions with usage that has no price are listed. */
  unpriced: boolean
  /** Whether the list has what of the usage of sessions does not add up. */
  findings: boolean
  /** The columns of the list, by id; [] for those that the browser keeps. */
  columns: readonly string[]
  sort: Sort
}

const texts = ['q', 'from', 'to', 'min_duration', 'max_duration', 'running_for', 'silent_for'] as const
const numbers = ['min_tokens', 'max_tokens'] as const
/** Decimal numbers, which stay text: the API compares them exactly. */
const amounts = ['min_cost', 'max_cost'] as const

export const everything: Filter = {
  q: '',
  from: '',
  to: '',
  min_duration: '',
  max_duration: '',
  running_for: '',
  silent_for: '',
  min_tokens: '',
  max_tokens: '',
  min_cost: '',
  max_cost: '',
  status: [],
  agent: [],
  tool: [],
  model: [],
  dialect: [],
  tag: [],
  provider: [],
  run: [],
  node: [],
  service_tier: [],
  call_status: [],
  unknown: [],
  label: [],
  thumb: [],
  unpriced: false,
  findings: false,
  columns: [],
  sort: '-started',
}

/** Reads an address's query. What is not understood there is left out. */
export function parseFilter(search: string): Filter {
  const params = new URLSearchParams(search)
  const filter = { ...everything }
  for (const name of texts) filter[name] = params.get(name) ?? ''
  for (const name of numbers) {
    const text = params.get(name) ?? ''
    filter[name] = isNumber(text) ? text : ''
  }
  for (const name of amounts) filter[name] = costAmount(params.get(name) ?? '') ?? ''
  for (const name of lists)
    filter[name] = [...new Set(params.getAll(name))].filter((value) => value !== '' || takesUnknown(name))
  filter.status = statuses.filter((status) => params.getAll('status').includes(status))
  filter.unpriced = params.get('unpriced') === '1'
  filter.findings = params.get('findings') === '1'
  filter.columns = (params.get('columns') ?? '').split(',').filter((id) => id !== '')
  filter.sort = sorts.find((sort) => sort === params.get('sort')) ?? everything.sort
  return filter
}

const isStatus = (text: string): text is Status => statuses.some((status) => status === text)
const isSort = (text: string): text is Sort => sorts.some((sort) => sort === text)
const isNumber = (text: string) => /^\d{1,15}$/.test(text)
const isAmount = (text: string) => costAmount(text) !== null

const checks: Partial<Record<string, (text: string) => boolean>> = {
  status: isStatus,
  sort: isSort,
  min_tokens: isNumber,
  max_tokens: isNumber,
  min_cost: isAmount,
  max_cost: isAmount,
}

/** What of an address's query parseFilter leaves out, since no filter has such a value: "status=bogus". */
export function leftOut(search: string): string[] {
  return [...new URLSearchParams(search)].flatMap(([name, value]) =>
    value !== '' && checks[name]?.(value) === false ? [`${name}=${value}`] : [],
  )
}

/** The address's query for a filter: "" or "?…". */
export function formatFilter(filter: Filter): string {
  const params = new URLSearchParams()
  for (const name of [...texts, ...numbers, ...amounts])
    if (filter[name] !== '') params.set(name, filter[name])
  for (const name of lists) for (const value of filter[name]) params.append(name, value)
  for (const status of filter.status) params.append('status', status)
  if (filter.unpriced) params.set('unpriced', '1')
  if (filter.findings) params.set('findings', '1')
  if (filter.sort !== everything.sort) params.set('sort', filter.sort)
  if (filter.columns.length > 0) params.set('columns', filter.columns.join())
  const text = params.toString()
  return text === '' ? '' : `?${text}`
}

/** The API's parameters for a filter. */
export function toQuery(filter: Filter): SessionsQuery {
  const query: SessionsQuery = { sort: filter.sort }
  for (const name of [...texts, ...amounts]) if (filter[name] !== '') query[name] = filter[name]
  for (const name of numbers) if (filter[name] !== '') query[name] = Number(filter[name])
  for (const name of lists) if (filter[name].length > 0) query[name] = [...filter[name]]
  if (filter.status.length > 0) query.status = [...filter.status]
  if (filter.unpriced) query.unpriced = '1'
  if (filter.findings) query.findings = '1'
  return query
}

/** The same sessions from the last to the first: the API gives every order both ways. */
export function reversed(filter: Filter): Filter {
  const other = filter.sort.startsWith('-') ? filter.sort.slice(1) : `-${filter.sort}`
  return { ...filter, sort: sorts.find((sort) => sort === other) ?? filter.sort }
}

/** Whether anything is left out of the list; its order and columns do not matter. */
export function narrows(filter: Filter): boolean {
  return formatFilter({ ...filter, findings: false, columns: [], sort: everything.sort }) !== ''
}

/** The list with nothing left out, in the same order and with the same columns. */
export function unnarrowed({ findings, columns, sort }: Filter): Filter {
  return { ...everything, findings, columns, sort }
}
