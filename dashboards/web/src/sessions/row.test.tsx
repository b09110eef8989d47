// @vitest-environment jsdom
import { screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { renderAt } from '../testing/render'
import { session } from '../testing/session'
import { columns } from './columns'
import { Row } from './row'
import type { Session } from './rows'

function show(calls: number, spent: Partial<Session> = {}) {
  const shown = session({ tools: { calls: 1, errors: 0 }, calls, ...spent })
  return renderAt(
    '/',
    <Row
      session={shown}
      columns={columns}
      index={0}
      place={0}
      isStop
      chosen={false}
      choose={() => undefined}
      style={{}}
    />,
  )
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

test('a quiet session says in what it is, and for how long it has been silent', () => {
  const open_span = { id: 't', kind: 'tool', name: 'psql' } as const
  show(0, { status: 'quiet', open_span, silent_ms: 2_595_400 })
  expect(screen.getByRole('row').textContent).toContain('in psql, silent for 43 m 15 s')
})

test('a click on a figure with a tooltip leads to the session, too', async () => {
  const { history } = show(1)
  await userEvent.click(screen.getByTitle('0 tokens'))
  expect(history.at(-1)).toBe('/sessions/s')
})

test('a session that failed has its error, its models and its failed calls', () => {
  show(0, {
    status: 'error',
    models: ['deck-1', 'deck-2'],
    tools: { calls: 3, errors: 2 },
    end: {
      at: '2026-03-02T10:00:01Z',
      offset_ms: 1000,
      reason: 'error',
      detail: 'the run failed: out of memory',
      span: null,
    },
  })
  expect(screen.getByText('Failed at 1.00 s: out of memory')).toBeTruthy()
  expect(screen.getByText('deck-1, deck-2')).toBeTruthy()
  expect(screen.getByTitle('2 calls failed').textContent).toContain('2 ✕')
})
