import type { Schemas } from '../api/client'

export type FindingCode = Schemas['ReconciledSession']['findings'][number]['code']

/** All codes of findings, in the order of the API's documentation. */
export const findingCodes: readonly FindingCode[] = [
  'stated_total',
  'stated_cost',
  'record_total',
  'began_anew',
  'without_usage',
  'cut_off',
  'cut_off_with_usage',
  'in_streams_differing',
  'same_message',
  'same_bytes',
  'lost_frames',
  'unread_frames',
  'too_deep',
  'bad_checksum',
  'unread_usage',
  'start_output',
]

/** What the page lists: the query of its address. */
export interface ReconciliationParams {
  /** As the API reads times; "" for no limit, as with `to`. */
  from: string
  to: string
  /** Text in the title, the id or a tag. */
  q: string
  /** Sessions with any of these are listed; with any finding at all, if it is empty. */
  findings: readonly FindingCode[]
}

const usual = 'now-7d'

export function parseParams(search: string): ReconciliationParams {
  const params = new URLSearchParams(search)
  const named = (params.get('finding') ?? '').split(',')
  return {
    from: params.get('from') ?? (params.has('to') ? '' : usual),
    to: params.get('to') ?? '',
    q: params.get('q') ?? '',
    findings: findingCodes.filter((code) => named.includes(code)),
  }
}

/** The address's query, "?…" or "". What is as usual is left out. */
export function formatParams({ from, to, q, findings }: ReconciliationParams): string {
  const params = new URLSearchParams()
  if (from !== usual || to !== '') params.set('from', from)
  if (to !== '') params.set('to', to)
  if (q !== '') params.set('q', q)
  if (findings.length > 0) params.set('finding', findings.join())
  const text = params.toString()
  return text === '' ? '' : `?${text}`
}

/** The API's parameters. */
export function apiQuery({ from, to, q, findings }: ReconciliationParams) {
  return {
    ...(from !== '' && { from }),
    ...(to !== '' && { to }),
    ...(q !== '' && { q }),
    finding: findings.length > 0 ? [...findings] : ['any' as const],
  }
}
