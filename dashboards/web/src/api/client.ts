import createClient from 'openapi-fetch'
import type { components, paths } from './schema.gen'

/** The shapes of query/openapi.yaml, by their names there. */
export type Schemas = components['schemas']
export type Problem = Schemas['Problem']

/** The server's answer to a request that it did not do, as RFC 9457 tells it. */
export class ProblemError extends Error {
  override name = 'ProblemError'
  constructor(readonly problem: Problem) {
    super(problem.detail ?? problem.title)
  }
}

/** The server that this page came from. */
export const api = createClient<paths>({ baseUrl: '/' })

/** The data of an answer, or its problem thrown. An answer that is no problem document is told by its status. */
export async function answered<T>(
  request: Promise<{ data?: T; error?: unknown; response: Response }>,
): Promise<T> {
  const { data, error, response } = await request
  if (response.ok && data !== undefined) return data
  throw new ProblemError(isProblem(error) ? error : { title: response.statusText, status: response.status })
}

/** Whether the server understood a request and refused it: it will do so again. */
export function isRefused(error: Error | null): boolean {
  return error instanceof ProblemError && error.problem.status < 500
}

function isProblem(v: unknown): v is Problem {
  return typeof v === 'object' && v !== null && 'title' in v && 'status' in v
}
