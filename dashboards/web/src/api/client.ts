import createClient from 'openapi-fetch'
import type { components, paths } from './schema.gen'

/** The shapes of query/openapi.yaml, by their names there. */
export type Schemas = components['schemas']
export type Problem = Schemas['Problem']

/** The server's answer to a failed request: a problem document of RFC 9457. */
export class ProblemError extends Error {
  override name = 'ProblemError'
  constructor(readonly problem: Problem) {
    super(problem.detail ?? problem.title)
  }
}

/** No answer came: the server is away, or the way to it is. */
export class UnreachableError extends Error {
  override name = 'UnreachableError'
  constructor(cause?: unknown) {
    super('No answer came from the server.', { cause })
  }
}

/** The server that this page came from. */
export const api = createClient<paths>({ baseUrl: '/' })

/** The text of the shared link that this page shows; null on all other pages. */
let shared: string | null = null

/** Has all requests of this page come from who opened a shared link. */
export function openShared(text: string): void {
  if (shared === null)
    api.use({
      onRequest: ({ request }) => {
        request.headers.set('Authorization', `Bearer ${shared ?? ''}`)
        return request
      },
    })
  shared = text
}

/** The address of a WebSocket as it is opened: with a ticket where a link, not a cookie, opens it. */
export async function socketAddress(address: string): Promise<string> {
  if (shared === null) return address
  const url = new URL(address)
  const { ticket } = await answered(api.POST('/v1/tickets', { body: { path: url.pathname } }))
  url.searchParams.set('ticket', ticket)
  return url.href
}

export function isShared(): boolean {
  return shared !== null
}

interface Answer<T> {
  data?: T
  error?: unknown
  response: Response
}

/**
 * The data of an answer, or its problem thrown. An answer that is no problem document is described by its status;
 * none at all, or that of a proxy that found no server, is an UnreachableError.
 */
export async function answered<T>(request: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await arrived(request)
  if (response.ok && data !== undefined) return data
  if (isProblem(error)) throw new ProblemError(error)
  // No body: from a server that is shutting down, or from a proxy before it.
  if (response.ok || [502, 503, 504].includes(response.status)) throw new UnreachableError()
  throw new ProblemError({ title: response.statusText, status: response.status })
}

/** Waits for an answer that has no data; its problem is thrown. */
export async function accepted(request: Promise<Answer<unknown>>): Promise<void> {
  const { error, response } = await arrived(request)
  if (response.ok) return
  throw new ProblemError(isProblem(error) ? error : { title: response.statusText, status: response.status })
}

/** Marks the answers of a server that is still starting. */
const startingHeader = 'Tapedeck-Starting'

/** An answer of whatever status; an UnreachableError where none came, or not all of it, or from a server that starts. */
export async function arrived<T>(request: Promise<Answer<T>>): Promise<Answer<T>> {
  let answer: Answer<T>
  try {
    answer = await request
  } catch (error) {
    throw error instanceof TypeError ? new UnreachableError(error) : error // what fetch throws
  }
  if (answer.response.headers.has(startingHeader)) throw new UnreachableError()
  return answer
}

/**
 * Whether, and how often, what failed is asked for again: of a server that is away, until it is back; of one
 * that is busy, for some seconds.
 */
export function asksAgain(failures: number, error: Error): boolean {
  if (error instanceof UnreachableError) return true
  const busy = error instanceof ProblemError && [429, 503].includes(error.problem.status)
  return failures < (busy ? 5 : 2) && !isRefused(error)
}

/** Whether the server understood a request and refused it: it will do so again. */
export function isRefused(error: Error | null): boolean {
  return error instanceof ProblemError && error.problem.status < 500 && error.problem.status !== 429
}

function isProblem(v: unknown): v is Problem {
  return typeof v === 'object' && v !== null && 'title' in v && 'status' in v
}
