import type { Schemas } from '../api/client'
import { noTokens } from './tokens'

type Session = Schemas['SessionPage']['items'][number]

/** A session of the list for tests, plain but for what is given. */
export function session(given: Partial<Session> = {}): Session {
  return {
    id: 's',
    title: '',
    status: 'ok',
    end: null,
    open_span: null,
    started: '2026-03-02T10:00:00Z',
    ended: '2026-03-02T10:00:01Z',
    last_at: '2026-03-02T10:00:01Z',
    duration_ms: 1000,
    running_ms: null,
    silent_ms: null,
    frames: 3,
    bytes: 30,
    runs: 1,
    streams: 1,
    tools: { calls: 0, errors: 0 },
    dialects: ['generic'],
    agents: [],
    models: [],
    tags: {},
    calls: 0,
    tokens: noTokens,
    cost: null,
    unpriced_calls: 0,
    unpriced_tokens: 0,
    usage_discrepancies: 0,
    ...given,
  }
}
