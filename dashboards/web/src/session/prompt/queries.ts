import { queryOptions } from '@tanstack/react-query'
import { answered, api } from '../../api/client'
import { promptOf } from './prompt'

/** The prompt of the frame with which a model call began; null if that frame is no request. */
export const promptQuery = (id: string, position: string) =>
  queryOptions({
    queryKey: ['frames', id, 'prompt', position],
    queryFn: async ({ signal }) => {
      const frame = await answered(
        api.GET('/v1/sessions/{id}/frames/{position}', { params: { path: { id, position } }, signal }),
      )
      return frame.direction === 'send' ? promptOf(frame.frame) : null
    },
    gcTime: 15_000,
    staleTime: Infinity,
  })
