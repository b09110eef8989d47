import type { Problem, Schemas } from '../api/client'
import { ProblemError } from '../api/client'
import { beginning, kindOf, tape, type Kind } from './kind'

/** What came of a file. */
export interface Uploaded {
  sessions: string[]
  /** What was recorded, in words. */
  frames: number
  /** Lines that were not taken, or not as they should be. */
  rejected: Schemas['Rejected']
  dialect: string
  /** Why not all of it was recorded; "" if it was. */
  reason: string
}

export interface Into {
  session: string
  dialect: string
}

/** Tells what a file holds. */
export async function inspect(file: File): Promise<Kind> {
  return kindOf(file.name, await file.slice(0, beginning).text())
}

/**
 * Sends a file, and tells how much of it is sent: from 0 to 1. A request of fetch cannot tell that. What
 * the server refuses is a ProblemError.
 */
export function upload(
  file: File,
  kind: Kind,
  into: Into,
  progress: (share: number) => void,
): Promise<Uploaded> {
  const params = new URLSearchParams()
  if (into.session !== '') params.set('session', into.session)
  if (into.dialect !== '') params.set('dialect', into.dialect)
  const address = kind === tape ? '/v1/import' : `/v1/ingest?${params.toString()}`
  return new Promise((done, failed) => {
    const request = new XMLHttpRequest()
    request.open('POST', address)
    request.setRequestHeader('Content-Type', kind)
    request.upload.onprogress = ({ loaded, total }) => progress(total === 0 ? 1 : loaded / total)
    request.onerror = () => failed(new Error('The connection was lost before the file was recorded.'))
    request.onload = () => {
      try {
        const answer: unknown = JSON.parse(request.responseText)
        if (request.status !== 200) failed(new ProblemError(answer as Problem))
        else
          done(
            kind === tape ? imported(answer as Schemas['Imported']) : recorded(answer as Schemas['Recorded']),
          )
      } catch {
        failed(new ProblemError({ title: request.statusText, status: request.status }))
      }
    }
    request.send(file)
  })
}

function recorded({ sessions, frames, rejected, dialect }: Schemas['Recorded']): Uploaded {
  return { sessions, frames, rejected, dialect, reason: '' }
}

function imported({ items, complete, reason }: Schemas['Imported']): Uploaded {
  return {
    sessions: items.map(({ session }) => session),
    frames: items.reduce((sum, { frames }) => sum + frames, 0),
    rejected: [],
    dialect: '',
    reason: complete ? '' : (reason ?? 'The file breaks off.'),
  }
}
