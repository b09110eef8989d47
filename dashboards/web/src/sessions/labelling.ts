import { answered, api } from '../api/client'

/** What became of the sessions on which a label was put, or from which it was removed. */
export interface Labelled {
  changed: number
  /** Sessions that had the label, or lacked it, before. */
  unchanged: number
  failed: readonly { id: string; error: Error }[]
}

export const unlabelled: Labelled = { changed: 0, unchanged: 0, failed: [] }

export type Change = 'add' | 'remove'

/** How many requests run at a time. */
const atOnce = 4

/**
 * Puts a label on sessions, or removes it, by a request for each. A session that is refused does not keep the others
 * from being changed. It ends early where the signal is aborted.
 */
export async function labelAll(
  ids: readonly string[],
  change: Change,
  label: string,
  signal: AbortSignal,
  progress: (sofar: Labelled) => void,
): Promise<Labelled> {
  let sofar = unlabelled
  let next = 0
  const work = async () => {
    for (let id = ids[next++]; id !== undefined && !signal.aborted; id = ids[next++]) {
      sofar = await one(id, change, label).then(
        (changed) =>
          changed ? { ...sofar, changed: sofar.changed + 1 } : { ...sofar, unchanged: sofar.unchanged + 1 },
        (error: unknown) => ({
          ...sofar,
          failed: [...sofar.failed, { id, error: error instanceof Error ? error : new Error(String(error)) }],
        }),
      )
      progress(sofar)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return sofar
}

async function one(id: string, change: Change, label: string): Promise<boolean> {
  const params = { params: { path: { id, label } } }
  const path = '/v1/sessions/{id}/labels/{label}'
  return (await answered(change === 'add' ? api.PUT(path, params) : api.DELETE(path, params))).changed
}
