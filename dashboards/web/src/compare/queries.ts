import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { answered, api, type Schemas } from '../api/client'

export type Comparison = Schemas['Comparison']
export type ComparedStep = Schemas['ComparedStep']
export type StepOf = Schemas['StepOf']
export type FieldDifference = Schemas['FieldDifference']
export type FirstDifference = Schemas['FirstDifference']
export type StepTime = Schemas['StepTime']

/** What is compared: two sessions, with ids and times or without. */
export interface Pair {
  a: string
  b: string
  exact: boolean
}

const params = ({ a, b, exact }: Pair) => ({ a, b, ...(exact && { exact: '1' as const }) })

export const comparisonQuery = (pair: Pair) =>
  queryOptions({
    queryKey: ['compare', pair],
    queryFn: ({ signal }) => answered(api.GET('/v1/compare', { params: { query: params(pair) }, signal })),
    staleTime: 60_000,
  })

/** A row with what differs in it. */
export const rowQuery = (pair: Pair, row: number) =>
  queryOptions({
    queryKey: ['compare', pair, row],
    queryFn: async ({ signal }) => {
      const query = { ...params(pair), row }
      const answer = await answered(api.GET('/v1/compare', { params: { query }, signal }))
      return answer.steps[0]?.detail ?? []
    },
    staleTime: 60_000,
  })

/** The newest sessions whose title, id or tag has a text. */
export const choicesQuery = (text: string) =>
  queryOptions({
    queryKey: ['compare', 'choices', text],
    queryFn: async ({ signal }) => {
      const query = { limit: 20, ...(text !== '' && { q: text }) }
      return (await answered(api.GET('/v1/sessions', { params: { query }, signal }))).items
    },
    staleTime: 10_000,
    placeholderData: keepPreviousData,
  })

/** The address of a comparison, of a session with one that is still to be chosen. */
export function compareAddress(a: string, b = '', exact = false): string {
  const query = new URLSearchParams({ a, ...(b !== '' && { b }), ...(exact && { exact: '1' }) })
  return `/compare?${query}`
}

/** The address of a session at a step of it. */
export function stepAddress(session: string, { position }: StepOf): string {
  return `/sessions/${encodeURIComponent(session)}?t=${encodeURIComponent(position)}`
}
