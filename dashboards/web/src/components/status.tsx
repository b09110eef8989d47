import type { Schemas } from '../api/client'
import { StateBadge, type StateLook } from './statebadge'

const looks: Record<Schemas['SessionStatus'], StateLook> = {
  running: { color: 'teal', name: 'Running', why: 'Frames are arriving.' },
  quiet: {
    color: 'yellow',
    name: 'Quiet',
    why: 'It is open, and no frame has come for a while.',
    weight: 'much',
  },
  lost: {
    color: 'gray',
    name: 'Lost',
    why: 'Its recorder is gone, and its end was not recorded.',
    weight: 'unknown',
  },
  ok: { color: 'gray', name: 'OK', why: 'It ended as it should.', weight: 'none' },
  error: { color: 'red', name: 'Error', why: 'The last run ended in an error.', weight: 'much' },
  cancelled: { color: 'yellow', name: 'Cancelled', why: 'A run was cancelled.' },
  incomplete: {
    color: 'yellow',
    name: 'Incomplete',
    why: 'A run never ended, or the recording was cut off.',
  },
}

/** The status of a session; `cause` is the reason, where it is known. */
export function StatusBadge({
  status,
  cause,
}: {
  status: Schemas['SessionStatus']
  cause?: string | undefined
}) {
  const look = looks[status]
  return <StateBadge {...look} why={cause ?? look.why} />
}
