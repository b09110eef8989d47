import type { Schemas } from '../api/client'

/** An alert for tests, open and of a whole session but for what is given. */
export function alert(given: Partial<Schemas['Alert']> = {}): Schemas['Alert'] {
  return {
    id: 'a',
    rule: 'silent',
    kind: 'silence',
    session_id: 's',
    span_id: null,
    span_name: null,
    position: null,
    per: null,
    value: null,
    period: null,
    detail: 'no frame for more than 2m0s',
    began: '2026-03-02T10:02:00Z',
    ended: null,
    ...given,
  }
}
