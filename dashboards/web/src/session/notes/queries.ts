import { queryOptions } from '@tanstack/react-query'
import { accepted, answered, api, type Schemas } from '../../api/client'

export type Note = Schemas['Note']

/** The notes of a session, by their moments. */
export const notesQuery = (id: string) =>
  queryOptions({
    queryKey: ['session', id, 'notes'],
    queryFn: async ({ signal }) =>
      (await answered(api.GET('/v1/sessions/{id}/notes', { params: { path: { id } }, signal }))).items,
  })

/** What a new note says; at an offset from the start of the session, ms, or for the whole session. */
export interface Wish {
  text: string
  labels: string[]
  thumb: 'up' | 'down' | null
  offset_ms: number | null
}

export function addNote(id: string, wish: Wish): Promise<Note> {
  return answered(api.POST('/v1/sessions/{id}/notes', { params: { path: { id } }, body: wish }))
}

export function deleteNote(id: string, note: string): Promise<void> {
  return accepted(api.DELETE('/v1/sessions/{id}/notes/{note}', { params: { path: { id, note } } }))
}
