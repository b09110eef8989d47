import type { Problem, Schemas } from '../api/client'
import { ProblemError } from '../api/client'
import { digestOf } from './digest'
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
  /** Record the file also if its bytes are recorded already. */
  again: boolean
}

/** The bytes of a file are recorded already. */
export class KnownError extends Error {
  override name = 'KnownError'
  constructor(readonly session: string) {
    super(`These bytes are session ${session} already.`)
  }
}

/** Detects what a file holds. */
export async function inspect(file: File): Promise<Kind> {
  return kindOf(file.name, await file.slice(0, beginning).text())
}

/**
 * Sends a file and reports how much of it is sent, from 0 to 1; a request of fetch cannot report that. What
 * the server refuses is a ProblemError, a file whose bytes are recorded already a KnownError.
 */
export async function upload(
  file: File,
  kind: Kind,
  into: Into,
  progress: (share: number) => void,
): Promise<Uploaded> {
  const params = new URLSearchParams()
  if (kind !== tape) {
    params.set('digest', await digestOf(file))
    params.set('clock', 'frame') // a file was written before it is sent
  }
  if (into.again) params.set('again', '1')
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
        if (request.status === 409) failed(new KnownError((answer as Schemas['Known']).session ?? ''))
        else if (request.status !== 200) failed(new ProblemError(answer as Problem))
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
