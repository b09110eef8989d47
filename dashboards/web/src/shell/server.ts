import { queryOptions } from '@tanstack/react-query'
import { api, arrived, type Schemas } from '../api/client'

/** How often the server is asked how it is, ms: while all is well, and while it is not. */
const pause = { well: 5000, ill: 1000 }
/** How long it may take to answer, ms. */
const timeout = 8000

/** How the server is; in error while it is away. */
export const serverQuery = queryOptions({
  queryKey: ['server'],
  queryFn: async ({ signal }): Promise<Schemas['Readiness']> => {
    const within = AbortSignal.any([signal, AbortSignal.timeout(timeout)])
    const { data, error } = await arrived(api.GET('/readyz', { signal: within }))
    if (data !== undefined) return data
    if (isReadiness(error)) return error // not all of its parts are well
    throw new Error('What answers is not this server.')
  },
  // One request that is lost makes no server that is away.
  retry: 1,
  retryDelay: 300,
  refetchInterval: ({ state }) =>
    state.error === null && state.data?.ready !== false ? pause.well : pause.ill,
})

function isReadiness(answer: unknown): answer is Schemas['Readiness'] {
  return typeof answer === 'object' && answer !== null && 'checks' in answer
}

/** The number of dead letters: blocks that could not be stored. */
export function deadLetters({ checks }: Schemas['Readiness']): number {
  const state: unknown = checks.find(({ part }) => part === 'dead_letters')?.state
  const blocks = typeof state === 'object' && state !== null && 'blocks' in state ? state.blocks : 0
  return typeof blocks === 'number' ? blocks : 0
}

/** What is missing because shards of the ClickHouse cluster are away; undefined if none is. */
export function shardsAway({ checks }: Schemas['Readiness']): string | undefined {
  return checks.find(({ part, ok }) => part === 'shards' && !ok)?.detail
}

/** The parts that are not well, and what they say of it: "clickhouse (connection refused), sink". */
export function illParts({ checks }: Schemas['Readiness']): string {
  return checks
    .filter(({ ok }) => !ok)
    .map(({ part, detail }) => (detail === undefined || detail === '' ? part : `${part} (${detail})`))
    .join(', ')
}
