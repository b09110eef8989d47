import { queryOptions, useQuery } from '@tanstack/react-query'
import { answered, api, isShared, type Schemas } from '../../api/client'
import { hasScope, loginQuery } from '../../login/queries'
import { versionOf } from '../frames/frames'
import { typesQuery } from '../frames/queries'
import { holdsState, type Snapshot, snapshotsOf } from './snapshots'

/** Of how many frames states are read. */
export const mostStates = 1000
/** Of how much, bytes: states are sent whole again and again. */
const mostBytes = 16_000_000

/** The states of a session, and whether there are more than were read. */
export interface States {
  snapshots: readonly Snapshot[]
  more: boolean
}

const statesQuery = (id: string, types: readonly string[], version: number) =>
  queryOptions({
    queryKey: ['frames', id, 'states', types, version],
    queryFn: async ({ signal }): Promise<States> => {
      const { frames, more } = await firstFrames(id, types, signal)
      return { snapshots: snapshotsOf(frames), more }
    },
    staleTime: Infinity,
    gcTime: 60_000,
  })

/** The first frames of some types, and whether there are more than were read. */
export async function firstFrames(
  id: string,
  types: readonly string[],
  signal: AbortSignal,
): Promise<{ frames: Schemas['Frame'][]; more: boolean }> {
  const frames: Schemas['Frame'][] = []
  let cursor: string | undefined
  let size = 0
  do {
    const query = { type: [...types], limit: 200, ...(cursor !== undefined && { cursor }) }
    const page = await answered(
      api.GET('/v1/sessions/{id}/frames', { params: { path: { id }, query }, signal }),
    )
    if (typeof page === 'string') throw new Error('The server answered with bytes.')
    frames.push(...page.items)
    size += page.items.reduce((sum, frame) => sum + frame.size, 0)
    cursor = page.next ?? undefined
  } while (cursor !== undefined && frames.length < mostStates && size < mostBytes)
  return { frames, more: cursor !== undefined }
}

/** The types of frames that hold states of a session, for users who may read frames; none where the frames expired. */
export function useStateTypes(session: Schemas['SessionDetail']): readonly string[] {
  return useTypes(session, holdsState)
}

/** The requested ones of the types of a session's frames, for users who may read frames. */
export function useTypes(
  session: Schemas['SessionDetail'],
  wanted: (type: string) => boolean,
): readonly string[] {
  const principal = useQuery({ ...loginQuery, enabled: false }).data?.principal ?? null
  const may = isShared() || (principal !== null && hasScope(principal, 'read:raw'))
  const types = useQuery({
    ...typesQuery(session.id, versionOf(session.frames)),
    enabled: may && session.frames_expired_at === undefined,
  })
  return [...new Set((types.data?.items ?? []).map(({ type }) => type).filter(wanted))].sort()
}

/** The states of a session; there is no request for a session without frames that hold any. */
export function useStates(session: Schemas['SessionDetail'], types: readonly string[]) {
  return useQuery({
    ...statesQuery(session.id, types, versionOf(session.frames)),
    enabled: types.length > 0,
    // Of a session that grows, what was known is shown until the rest is there.
    placeholderData: (known: States | undefined) => known,
  })
}
