import type { Filter, Outcome } from './queries'

/** The outcomes, as the API names them, with what they mean. */
export const outcomes: Record<Outcome, string> = {
  done: 'Done, or its answer has begun',
  refused: 'The principal may not do this',
  invalid: 'The request was not valid, or its object does not exist',
  failed: 'The server could not do it',
  aborted: 'The client disconnected before the answer began',
  begun: 'A change whose end is not known',
}

/** The kinds of objects that actions are about. */
export const kinds: Record<string, string> = {
  session: 'Sessions',
  charges: 'Charges',
  bill: 'Bills',
  prices: 'Prices',
  token: 'Tokens',
  user: 'Logins',
  share: 'Links',
  tag: 'Tags',
  tenant: 'Tenants',
  retention: 'Retention',
  deadletter: 'Dead letters',
  audit: 'Audit log',
  server: 'Server',
}

/** Reads a filter from the search part of an address. */
export function filterOf(search: string): Filter {
  const params = new URLSearchParams(search)
  const text = (name: string) => params.get(name) ?? ''
  const outcome = text('outcome')
  return {
    principal: text('principal'),
    action: text('action'),
    object: text('object'),
    outcome: outcome in outcomes ? (outcome as Outcome) : '',
    from: text('from'),
  }
}

/** The address of the page with a filter. */
export function addressOf(filter: Filter): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(filter)) if (value !== '') params.set(name, value as string)
  return params.size === 0 ? '/audit' : `/audit?${params.toString()}`
}
