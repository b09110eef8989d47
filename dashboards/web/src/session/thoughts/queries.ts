import { queryOptions, useQuery } from '@tanstack/react-query'
import type { Schemas } from '../../api/client'
import { versionOf } from '../frames/frames'
import { firstFrames, useStateTypes, useTypes } from '../state/queries'
import type { Drawing } from './drawing'
import { drawingsOf, holdsThoughts, ofGraph } from './events'

/** The thoughts of a session, and whether there are frames that were not read. */
export interface Thoughts {
  drawings: readonly Drawing[]
  more: boolean
}

const thoughtsQuery = (id: string, types: readonly string[], states: readonly string[], version: number) =>
  queryOptions({
    queryKey: ['frames', id, 'thoughts', types, states, version],
    queryFn: async ({ signal }): Promise<Thoughts> => {
      const events = await firstFrames(id, types, signal)
      const beside = states.length === 0 ? noFrames : await firstFrames(id, states, signal)
      return {
        drawings: drawingsOf([...events.frames, ...beside.frames]),
        more: events.more || beside.more,
      }
    },
    staleTime: Infinity,
    gcTime: 60_000,
  })

const noFrames = { frames: [], more: false }

/** The types of frames that hold thoughts of a session, for users who may read frames; none where the frames expired. */
export function useThoughtTypes(session: Schemas['SessionDetail']): readonly string[] {
  return useTypes(session, holdsThoughts)
}

/** The thoughts of a session. States are read where there is a graph, whose edges they hold. */
export function useThoughts(session: Schemas['SessionDetail']) {
  const types = useThoughtTypes(session)
  const states = useStateTypes(session)
  return useQuery({
    ...thoughtsQuery(session.id, types, types.some(ofGraph) ? states : [], versionOf(session.frames)),
    enabled: types.length > 0,
    placeholderData: (known: Thoughts | undefined) => known,
  })
}
