import type { SpanState } from './spanstate'
import { StateBadge, type StateLook } from './statebadge'

const looks: Record<SpanState, StateLook> = {
  before: { color: 'gray', name: 'Called', why: 'It was called and had not begun.' },
  running: { color: 'teal', name: 'Running', why: 'It had begun and had not ended.' },
  silent: {
    color: 'yellow',
    name: 'Silent',
    why: 'It has not ended, and no frame has come for a while.',
    weight: 'much',
  },
  waiting: { color: 'yellow', name: 'Waiting', why: 'It waits for an approval, or for a client.' },
  unclosed: { color: 'yellow', name: 'Never ended', why: 'Its run or its stream ended, and it did not.' },
  ok: { color: 'gray', name: 'OK', why: 'It ended as it should.', weight: 'none' },
  error: { color: 'red', name: 'Error', why: 'It ended in an error.' },
  cancelled: { color: 'yellow', name: 'Cancelled', why: 'It was stopped before it was done.' },
  rejected: { color: 'red', name: 'Rejected', why: 'It was not approved.' },
}

/** The status of a run, a call or a step. */
export function SpanStatus({ state }: { state: SpanState }) {
  return <StateBadge {...looks[state]} />
}
