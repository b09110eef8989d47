import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query'
import { answered, api, type Schemas } from '../../api/client'
import type { Mark } from './marks'
import { previewsOf } from './preview'

/** Frames on a page. */
export const pageSize = 500

/** Which frames are listed; without a choice all. */
export interface FrameFilter {
  types: readonly string[]
  direction: Schemas['Direction'] | null
}

/** What a row shows of a frame; the rest of the frame is not kept. */
export interface FrameLine extends Mark {
  direction: Schemas['Direction']
  type: string
  node: string
  agent: string
  size: number
  flags: Schemas['Frame']['flags']
  /** What tells its content from that of the frame of its type before it. */
  head: string
}

/**
 * Where each page of the list begins. `version` changes when a running session has grown; what was known
 * before of the same filter is shown until the new is there.
 */
export const indexQuery = (id: string, filter: FrameFilter, version: number) =>
  queryOptions({
    queryKey: ['frames', id, 'index', filter, version],
    queryFn: ({ signal }) =>
      answered(
        api.GET('/v1/sessions/{id}/frames/index', {
          params: { path: { id }, query: { every: pageSize, ...parameters(filter) } },
          signal,
        }),
      ),
    placeholderData: (before: Schemas['FrameIndex'] | undefined, query) =>
      JSON.stringify(query?.queryKey.slice(0, 4)) === JSON.stringify(['frames', id, 'index', filter])
        ? before
        : undefined,
    gcTime: 10_000,
    staleTime: Infinity,
  })

/** How many frames there are of each type. */
export const typesQuery = (id: string, version: number) =>
  queryOptions({
    queryKey: ['frames', id, 'types', version],
    queryFn: ({ signal }) =>
      answered(api.GET('/v1/sessions/{id}/frames/types', { params: { path: { id } }, signal })),
    placeholderData: keepPreviousData,
    gcTime: 10_000,
    staleTime: Infinity,
  })

/**
 * A page of rows, from after a position on. Pages out of sight are soon forgotten. Of the last page of a
 * running session, what there was of it is shown until the longer one is there.
 */
export const pageQuery = (
  client: QueryClient,
  id: string,
  filter: FrameFilter,
  after: string | undefined,
  rows: number,
) =>
  queryOptions<FrameLine[]>({
    placeholderData: () =>
      client
        .getQueriesData<FrameLine[]>({ queryKey: ['frames', id, 'page', filter, after] })
        .map(([, lines]) => lines ?? [])
        .reduce<FrameLine[] | undefined>(
          (most, lines) => (lines.length > (most?.length ?? 0) ? lines : most),
          undefined,
        ),
    queryKey: ['frames', id, 'page', filter, after, rows],
    queryFn: async ({ signal }) => {
      const lines: FrameLine[] = []
      let cursor = after
      // A page of big frames comes in parts.
      do {
        const page = await answered(
          api.GET('/v1/sessions/{id}/frames', {
            params: {
              path: { id },
              query: {
                limit: rows - lines.length,
                ...(cursor !== undefined && { cursor }),
                ...parameters(filter),
              },
            },
            signal,
          }),
        )
        // The other form of the answer, for which another request asks.
        if (typeof page === 'string') throw new Error('The server answered with bytes.')
        const heads = previewsOf(page.items)
        lines.push(...page.items.map((frame, i) => lineOf(frame, heads[i] ?? '')))
        cursor = page.next ?? undefined
      } while (cursor !== undefined && lines.length < rows)
      return lines
    },
    gcTime: 15_000,
    staleTime: Infinity,
  })

/** One frame with its exact bytes. */
export const frameQuery = (id: string, position: string) =>
  queryOptions({
    queryKey: ['frames', id, 'frame', position],
    queryFn: ({ signal }) =>
      answered(
        api.GET('/v1/sessions/{id}/frames/{position}', { params: { path: { id, position } }, signal }),
      ),
    gcTime: 15_000,
    staleTime: Infinity,
  })

function parameters({ types, direction }: FrameFilter) {
  return {
    ...(types.length > 0 && { type: [...types] }),
    ...(direction !== null && { direction: [direction] }),
  }
}

function lineOf(frame: Schemas['Frame'], head: string): FrameLine {
  const { position, offset_ms, direction, type, agent, size, flags } = frame
  return {
    position,
    offset_ms,
    direction,
    type,
    agent,
    size,
    flags,
    node: frame.node_id,
    head,
  }
}
