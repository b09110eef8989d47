import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { answered, api, type Schemas } from '../api/client'

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

/** A closed bill computed anew, on request only. */
export const verificationQuery = (number: string) =>
  queryOptions({
    queryKey: ['bills', 'verification', number],
    queryFn: ({ signal }) =>
      answered(api.GET('/v1/bills/{number}/verification', { params: { path: { number } }, signal })),
    enabled: false,
    retry: false,
  })

/** Closes a period of an account. */
export function closePeriod(account: string, period: string): Promise<Bill> {
  return answered(api.POST('/v1/bills', { params: { query: { account, period } } }))
}
