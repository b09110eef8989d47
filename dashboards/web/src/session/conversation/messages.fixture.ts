import type { Schemas } from '../../api/client'

/** A message for tests, plain but for what is given. */
export function message(given: Partial<Schemas['Message']> = {}): Schemas['Message'] {
  return {
    id: 'm',
    kind: 'assistant',
    text: '',
    media: 'text',
    started: '2026-03-02T10:00:00Z',
    start_ms: 0,
    ended: '2026-03-02T10:00:00Z',
    complete: true,
    position: '1.s.0',
    name: '',
    span_id: '',
    run_id: '',
    node_id: '',
    agent: '',
    attributes: null,
    ...given,
  }
}

/** A span for tests, plain but for what is given. */
export function span(given: Partial<Schemas['Span']> = {}): Schemas['Span'] {
  return {
    id: 's',
    parent: '',
    kind: 'tool',
    name: 'bash',
    status: 'ok',
    started: '2026-03-02T10:00:00Z',
    start_ms: 0,
    position: '1.s.0',
    ended: '2026-03-02T10:00:00Z',
    duration_ms: 0,
    reported_ms: null,
    open: false,
    open_ms: null,
    running_ms: null,
    silent_ms: null,
    first_token_ms: null,
    run_id: '',
    node_id: '',
    agent: '',
    call_id: '',
    model: null,
    provider: null,
    error: null,
    attributes: null,
    tokens: null,
    usage: [],
    children: [],
    ...given,
  }
}
