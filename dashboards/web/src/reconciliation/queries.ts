import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query'
import { answered, api, type Schemas } from '../api/client'
import { apiQuery, type ReconciliationParams } from './params'

export type ReconciledSession = Schemas['ReconciledSession']
export type ExportComparison = Schemas['ExportComparison']

const pageSize = 50

/** Sessions with findings, page by page. A page may be empty before the last. */
export const findingsQuery = (params: ReconciliationParams) =>
  infiniteQueryOptions({
    queryKey: ['reconciliation', params],
    queryFn: ({ pageParam, signal }) =>
      answered(
        api.GET('/v1/usage/reconciliation', {
          params: {
            query: { ...apiQuery(params), limit: pageSize, ...(pageParam !== '' && { cursor: pageParam }) },
          },
          signal,
        }),
      ),
    initialPageParam: '',
    getNextPageParam: (last) => last.next,
    placeholderData: keepPreviousData,
  })

/** Has the server compare an export with what is recorded. */
export function compareExport(file: File, ignore: string): Promise<ExportComparison> {
  const fields = ignore
    .split(',')
    .map((field) => field.trim())
    .filter((field) => field !== '')
  return answered(
    api.POST('/v1/usage/reconciliation', {
      params: { query: { ...(fields.length > 0 && { ignore: fields }) } },
      headers: { 'Content-Type': file.name.endsWith('.json') ? 'application/json' : 'text/csv' },
      body: file,
      bodySerializer: (body) => body as File,
    }),
  )
}
