import type { Schemas } from '../../api/client'
import { noTokens } from '../../testing/tokens'

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

const modalities = { text: 0, audio: 0, image: 0, video: 0 }

/** A usage record for tests, of no tokens and without a cost but for what is given. */
export function usage(id: string, given: Partial<Schemas['UsageRecord']> = {}): Schemas['UsageRecord'] {
  return {
    id,
    span_id: '',
    run_id: '',
    agent: '',
    model: null,
    provider: null,
    mode: 'add',
    scope: 'thread',
    at: '2026-03-02T10:00:00Z',
    tokens: noTokens,
    stated_total: null,
    discrepancy: false,
    duplicate: false,
    raw: {},
    cost: null,
    cost_shares: null,
    unpriced_reason: null,
    requested_model: null,
    service_tier: null,
    speed: null,
    region: null,
    stated_cost: null,
    request_id: null,
    message_id: null,
    token_parts: { input: modalities, cache_read: modalities, output: modalities },
    tool_uses: { web_searches: 0, web_fetches: 0, code_executions: 0 },
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
