// @vitest-environment jsdom
import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { renderAt } from '../testing/render'
import { Row } from './row'
import type { Session } from './rows'

const none = {
  input: 0,
  cache_read: 0,
  cache_write_5m: 0,
  cache_write_1h: 0,
  output: 0,
  reasoning: 0,
  total: 0,
}

function show(calls: number, spent: Partial<Session> = {}) {
  const session: Session = {
    id: 's',
    title: '',
    status: 'ok',
    end: null,
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
    tools: { calls: 1, errors: 0 },
    dialects: ['generic'],
    agents: [],
    models: [],
    tags: {},
    calls,
    tokens: none,
    cost: null,
    unpriced_calls: 0,
    unpriced_tokens: 0,
    usage_discrepancies: 0,
    ...spent,
  }
  renderAt('/', <Row session={session} index={0} isStop chosen={false} toggle={() => undefined} style={{}} />)
}

test('a session whose source reported no usage has no number of tokens', () => {
  show(0)
  expect(screen.getByLabelText('not reported').textContent).toBe('–')
})

test('a session whose source reported zero tokens has zero', () => {
  show(1)
  expect(screen.queryByLabelText('not reported')).toBeNull()
  expect(screen.getByTitle('0 tokens').textContent).toBe('0 tokens')
})

test('a session of which only some calls have a price cost more than that', () => {
  show(3, {
    cost: { amount: '0.0421234', currency: 'USD' },
    unpriced_calls: 1,
    unpriced_reasons: [{ reason: 'unknown_model', model: 'm', calls: 1, tokens: 5 }],
  })
  expect(screen.getByText('> $0.0421').title).toBe(
    '0.0421234 USD\n1 call has no price\n1 call of m: unknown model',
  )
})

test('a session whose calls have no price did not cost nothing', () => {
  show(2, { unpriced_calls: 2 })
  expect(screen.getByText('no price').title).toBe('No call has a price')
})
