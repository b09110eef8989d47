// @vitest-environment jsdom
import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { renderAt } from '../testing/render'
import { BillFigures } from './figures'
import type { Bill } from './queries'

const bill: Bill = {
  ...{ number: '', prefix: 'INV-', sequence: 0, attempt: '', account: 'tenant', account_name: 'tenant' },
  ...{ period: '2026-10', period_start: '2026-10-01T00:00:00Z', period_end: '2026-11-01T00:00:00Z' },
  ...{ timezone: 'UTC', currency: 'USD', minor_units: 2, closed_at: null, prices_hash: 'p' },
  ...{ list_prices: null, rows_hash: 'r', rows: 3, charges: 3, unpriced: 0, corrections: 0 },
  ...{ list_cost: '78.679', contracted_cost: '78.679', billed_cost: '78.679', total: '78.66' },
  ...{ residual: '-0.019', billing_since: '2026-10-01T00:00:00Z', checked: {}, lines: [] },
}

/** What a figure shows. */
function figure(changes: Partial<Bill>, name: string): string {
  renderAt('/bills', <BillFigures bill={{ ...bill, ...changes }} />)
  return screen.getByText(name).parentElement?.textContent ?? ''
}

test.each([
  [0, 'Total$78.66'],
  [1, 'Total> $78.66'],
])('with %d charges without a price the total is %j', (unpriced, shown) => {
  expect(figure({ unpriced }, 'Total')).toContain(shown)
})

test.each([
  ['0', 'no difference by rounding'],
  ['0.00', 'no difference by rounding'],
  ['0.019', '$0.02 less than the total'],
  ['-0.019558515', '$0.02 more than the total'],
  ['0.004', '0.004 USD less than the total'], // it would be rounded to nothing
  ['-1.5', '$1.50 more than the total'],
])('a residual of %s is %j', (residual, shown) => {
  expect(figure({ residual }, 'Exact cost')).toContain(shown)
})
