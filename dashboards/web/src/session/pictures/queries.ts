import { queryOptions } from '@tanstack/react-query'
import { answered, api } from '../../api/client'
import { imageLists } from './lists'

/** The images of a frame. The frame itself is not kept. */
export const imagesQuery = (id: string, position: string) =>
  queryOptions({
    queryKey: ['frames', id, 'images', position],
    queryFn: async ({ signal }) => {
      const frame = await answered(
        api.GET('/v1/sessions/{id}/frames/{position}', { params: { path: { id, position } }, signal }),
      )
      return imageLists(frame.frame)
    },
    gcTime: 15_000,
    staleTime: Infinity,
  })
