// @vitest-environment jsdom
import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { renderAt } from '../testing/render'
import type { Verification } from './queries'
import { VerificationResult } from './verification'

const equal: Verification = {
  ...{
    number: 'INV-1',
    account: 'tenant',
    period: '2026-10',
    currency: 'USD',
    minor_units: 2,
    equal: true,
    defects: [],
    rows: 3,
  },
  ...{ rows_hash: 'r', current_prices_hash: 'p', differences: [], counts: {} },
  frames: {
    sessions: 2,
    of: 5,
    failed: [],
    expired: [],
    expired_charges: 0,
    expired_sessions: 0,
    differences: [],
  },
}

test('a bill that is the same says what was compared', () => {
  renderAt('/', <VerificationResult result={equal} currency="USD" />)
  expect(screen.getByRole('status').textContent).toBe(
    'All 3 rows are as they were closed, and computed anew they are the same. The frames of 2 sessions of 5 were decoded anew.',
  )
})

test('charges whose frames have expired are no difference', () => {
  const frames = { ...equal.frames, sessions: 0, expired_sessions: 2, expired_charges: 1 }
  renderAt('/', <VerificationResult result={{ ...equal, frames }} currency="USD" />)
  expect(screen.getByRole('status').textContent).toBe(
    'All 3 rows are as they were closed, and computed anew they are the same. The frames of 0 sessions of 5 were decoded anew. Those of 2 sessions have expired: 1 charge stands as billed.',
  )
})

test('a difference leads to its frame, and to the bill that corrects it', () => {
  const item = { provider: 'p', model: 'm', unit: 'input_tokens', price: '3', per: 1e6, unpriced_reason: '' }
  const difference = {
    ...{
      charge_id: 'c',
      charge_period: '2026-10',
      session_id: 's/1',
      at: '2026-10-03T00:00:00Z',
      position: '1.a.2',
    },
    ...{ why: 'late' as const, corrected_in: ['INV-2'], settled: true },
    items: [
      { ...item, quantity: 1000, cost: '0.1' },
      { ...item, unit: 'output_tokens', quantity: -5, cost: '0.2' },
    ],
  }
  renderAt(
    '/',
    <VerificationResult
      result={{
        ...equal,
        equal: false,
        differences: [difference],
        counts: { late: 1 },
        defects: ['the hash differs'],
      }}
      currency="USD"
    />,
  )
  expect(screen.getByRole('status').textContent).toContain('The stored rows are damaged: the hash differs.')
  expect(screen.getByRole('status').textContent).toContain('1 charge: arrived after the bill was closed')
  expect(screen.getByRole('link', { name: 's/1' }).getAttribute('href')).toBe('/sessions/s%2F1?t=1.a.2')
  expect(screen.getByRole('link', { name: 'INV-2' }).getAttribute('href')).toBe('/bills?number=INV-2')
  expect(screen.getByText('+1,000 input tokens, -5 output tokens')).toBeTruthy()
  expect(screen.getByText('$0.3000').title).toBe('0.3 USD')
})
