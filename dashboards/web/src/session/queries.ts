import { queryOptions } from '@tanstack/react-query'
import { answered, api, ProblemError, type Schemas } from '../api/client'

/**
 * For how long an answer counts as new, ms: a view that opens asks for nothing that was just answered. A session
 * that runs is looked at anew all the same, as it is followed.
 */
const staleTime = 10_000

/**
 * The session with its runs, streams, totals and discrepancies. One that is over is looked at now and then
 * all the same: it may have been deleted, or go on.
 */
export const sessionQuery = (id: string) =>
  queryOptions({
    queryKey: ['session', id],
    queryFn: ({ signal }) => answered(api.GET('/v1/sessions/{id}', { params: { path: { id } }, signal })),
    staleTime,
    refetchInterval: ({ state }) => (state.data === undefined ? false : staleTime),
  })

/** Whether there is no session any more. */
export function isGone(error: Error | null): boolean {
  return error instanceof ProblemError && [404, 410].includes(error.problem.status)
}

/** The spans as a tree. */
export const timelineQuery = (id: string) =>
  queryOptions({
    queryKey: ['session', id, 'timeline'],
    queryFn: ({ signal }) =>
      answered(api.GET('/v1/sessions/{id}/timeline', { params: { path: { id } }, signal })),
    staleTime,
  })

/** All messages, with how each text grew. */
export const transcriptQuery = (id: string) =>
  queryOptions({
    queryKey: ['session', id, 'transcript'],
    queryFn: ({ signal }) => fetchMessages(id, undefined, signal),
    staleTime,
  })

/** How many frames arrived when. */
export const densityQuery = (id: string) =>
  queryOptions({
    queryKey: ['session', id, 'density'],
    queryFn: ({ signal }) =>
      answered(
        api.GET('/v1/sessions/{id}/density', { params: { path: { id }, query: { slices: 1000 } }, signal }),
      ),
    staleTime,
  })

/** The messages of a session; since a time (RFC 3339), the messages that may have changed from then on. */
export async function fetchMessages(
  id: string,
  since?: string,
  signal?: AbortSignal,
): Promise<Schemas['Message'][]> {
  const all: Schemas['Message'][] = []
  let cursor: string | undefined
  do {
    const page = await answered(
      api.GET('/v1/sessions/{id}/transcript', {
        params: {
          path: { id },
          query: {
            chunks: '1',
            limit: 5000,
            ...(cursor !== undefined && { cursor }),
            ...(since !== undefined && { since }),
          },
        },
        ...(signal !== undefined && { signal }),
      }),
    )
    all.push(...page.items)
    cursor = page.next ?? undefined
  } while (cursor !== undefined)
  return all
}
