import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { answered, api, type Schemas } from '../api/client'
import { reported } from '../reports/answer'

export type BillList = Schemas['BillList']
export type BillPeriod = BillList['items'][number]
export type Bill = Schemas['Bill']
export type BillLine = Bill['lines'][number]
export type BillRow = Schemas['BillRow']
export type Verification = Schemas['BillVerification']
export type State = BillPeriod['state']

/** The periods of accounts, the last first. */
export const billsQuery = queryOptions({
  queryKey: ['bills', 'list'],
  queryFn: ({ signal }) => answered(api.GET('/v1/bills', { signal })),
})

/** The bill of a period as it would be closed now. */
export const previewQuery = (account: string, period: string, by?: string) =>
  queryOptions({
    queryKey: ['bills', 'preview', account, period, by ?? ''],
    queryFn: ({ signal }) =>
      answered(
        api.GET('/v1/bills/preview', {
          params: { query: { account, period, ...(by !== undefined && { by }) } },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  })

/** A closed bill. It never changes. */
export const billQuery = (number: string, by?: string) =>
  queryOptions({
    queryKey: ['bills', 'bill', number, by ?? ''],
    queryFn: ({ signal }) =>
      answered(
        api.GET('/v1/bills/{number}', {
          params: { path: { number }, query: by === undefined ? {} : { by } },
          signal,
        }),
      ),
    staleTime: Infinity,
    placeholderData: keepPreviousData,
  })

/** How many rows of a line are fetched at once. Those of a preview have no further pages. */
const pageSize = 500
export const previewedRows = 5000

/** What identifies a line of a bill. */
export function lineKey({
  class: kind,
  charge_period,
  provider,
  model,
  unit,
  unpriced,
  tag_value,
}: BillLine): string {
  return JSON.stringify([kind, charge_period, provider, model, unit, unpriced, tag_value])
}

/** The rows of a line, of a closed bill or of a preview. */
export const rowsQuery = (bill: Bill, line: BillLine) =>
  infiniteQueryOptions({
    queryKey: ['bills', 'rows', bill.number, bill.account, bill.period, bill.by, lineKey(line)],
    queryFn: ({ pageParam, signal }) => {
      const { number, account, period, by } = bill
      const { class: kind, charge_period, provider, model, unit, unpriced, tag_value = '' } = line
      const selected = {
        ...{ class: kind, charge_period, provider, model, unit },
        unpriced: unpriced ? ('1' as const) : ('0' as const),
        ...(by !== undefined && { tag: `${by}:${tag_value}` }),
      }
      if (number === '')
        return answered(
          api.GET('/v1/bills/preview/rows', {
            params: { query: { account, period, ...selected, limit: previewedRows } },
            signal,
          }),
        )
      const query = { ...selected, limit: pageSize, ...(pageParam !== '' && { cursor: pageParam }) }
      return reported(api.GET('/v1/bills/{number}/rows', { params: { path: { number }, query }, signal }))
    },
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    retry: false,
  })

/** A closed bill computed anew, on request only. */
export const verificationQuery = (number: string) =>
  queryOptions({
    queryKey: ['bills', 'verification', number],
    queryFn: ({ signal }) =>
      answered(api.GET('/v1/bills/{number}/verification', { params: { path: { number } }, signal })),
    enabled: false,
    retry: false,
  })

/** Closes a period of an account; its first one only with `leaveEarlier` if earlier months have usage. */
export function closePeriod(account: string, period: string, leaveEarlier: boolean): Promise<Bill> {
  const query = leaveEarlier ? { account, period, leave_earlier: '1' as const } : { account, period }
  return answered(api.POST('/v1/bills', { params: { query } }))
}
