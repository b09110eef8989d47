// @vitest-environment jsdom
import { screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { answering, renderAt } from '../testing/render'
import { BillLines } from './lines'
import type { Bill, BillLine, BillRow } from './queries'

const line: BillLine = {
  ...{ class: '', charge_period: '2026-10', provider: 'p', model: 'm', unit: 'input_tokens' },
  ...{ quantity: '12', rows: 2, cost: '0.36', amount: '0.36', unpriced: false },
}

const bill: Bill = {
  ...{ number: '', prefix: 'INV-', sequence: 0, attempt: '', account: 'customer=c1', account_name: 'c1' },
  ...{ period: '2026-10', period_start: '2026-10-01T00:00:00Z', period_end: '2026-11-01T00:00:00Z' },
  ...{
    timezone: 'UTC',
    currency: 'USD',
    minor_units: 2,
    closed_at: null,
    prices_hash: 'p',
    list_prices: null,
  },
  ...{
    rows_hash: 'r',
    rows: 3,
    charges: 3,
    unpriced: 1,
    corrections: 0,
    list_cost: '0',
    contracted_cost: '0',
  },
  ...{
    billed_cost: '0.36',
    total: '0.36',
    residual: '0',
    billing_since: '2026-10-01T00:00:00Z',
    checked: {},
  },
  lines: [line, { ...line, model: '', provider: '', rows: 1, cost: '0', amount: '0', unpriced: true }],
}

const row = (ordinal: number, quantity: string, cost: string | null): BillRow => ({
  ...{ number: '', ordinal, class: '', charge_period: '2026-10', charge_id: `c${ordinal}`, tags: {} },
  ...{ charge_period_start: '2026-10-02T00:00:00Z', charge_period_end: '2026-10-03T00:00:00Z' },
  ...{ at: '2026-10-02T10:00:00Z', session_id: `s/${ordinal}`, stream_id: 'x', position: `17.x.${ordinal}` },
  ...{ provider: 'p', model: 'm', service_tier: '', speed: '', region: '', unit: 'input_tokens', quantity },
  ...{
    per: 1,
    list_price: null,
    contracted_price: null,
    price: cost === null ? null : '0.03',
    list_cost: null,
  },
  ...{ contracted_cost: null, billed_cost: cost, prices_hash: 'p', rules: [], note: '' },
  unpriced_reason: cost === null ? 'unknown_model' : '',
})

afterEach(() => vi.restoreAllMocks())

const show = (shown: Bill) => renderAt('/bills', <BillLines bill={shown} setBy={() => {}} />)
const unfold = (name: string) => screen.findByRole('button', { name })

test('a line of a preview unfolds to its charges, which lead to their frames, and folds again', async () => {
  const user = userEvent.setup()
  const asked = answering({
    '/v1/facets': { tags: [] },
    '/v1/bills/preview/rows': { items: [row(0, '10', '0.3'), row(1, '2', '0.06')], next: null, count: 2 },
  })
  show(bill)
  const button = await unfold('Charges of m, input tokens')
  expect(button.getAttribute('aria-expanded')).toBe('false')
  button.focus()
  await user.keyboard('{Enter}')
  expect(button.getAttribute('aria-expanded')).toBe('true')
  const rows = within(await screen.findByRole('region', { name: 'Charges of m, input tokens' }))
  expect(
    document.getElementById(button.getAttribute('aria-controls') ?? '')?.contains(rows.getByRole('table')),
  ).toBe(true)
  expect(rows.getByRole('link', { name: 's/1' }).getAttribute('href')).toBe('/sessions/s%2F1?t=17.x.1')
  expect(rows.getAllByRole('row').at(-1)?.textContent).toBe('Total12$0.3600')
  expect(asked('/v1/bills/preview/rows')).toEqual([
    {
      ...{ account: 'customer=c1', period: '2026-10', class: '', charge_period: '2026-10', provider: 'p' },
      ...{ model: 'm', unit: 'input_tokens', unpriced: '0', limit: 5000 },
    },
  ])
  await user.click(button)
  expect(screen.queryByRole('region', { name: 'Charges of m, input tokens' })).toBeNull()
})

test('charges of a line without a price have the reason, and are of the chosen value of the tag', async () => {
  const user = userEvent.setup()
  const asked = answering({
    '/v1/facets': { tags: ['customer'] },
    '/v1/bills/preview/rows': { items: [row(2, '7', null)], next: null, count: 1 },
  })
  show({ ...bill, by: 'customer' })
  await user.click(await unfold('Charges of unknown, input tokens, no customer'))
  const rows = within(await screen.findByRole('region', { name: /^Charges of unknown/ }))
  expect(rows.getByRole('cell', { name: 'unknown model' })).toBeTruthy()
  expect(asked('/v1/bills/preview/rows').at(-1)).toMatchObject({
    ...{ provider: '', model: '', unpriced: '1', tag: 'customer:' },
  })
})

test('charges of a closed bill come in pages, and have a total once all are there', async () => {
  const user = userEvent.setup()
  const answers: Record<string, unknown> = {
    '/v1/facets': { tags: [] },
    '/v1/bills/{number}/rows': { items: [row(0, '10', '0.3')], next: 'more', count: 2 },
  }
  const asked = answering(answers)
  show({ ...bill, number: 'INV-000001' })
  await user.click(await unfold('Charges of m, input tokens'))
  expect(await screen.findByText('The first 1 of 2 charges.')).toBeTruthy()
  const rows = within(screen.getByRole('region', { name: 'Charges of m, input tokens' }))
  expect(rows.queryByText('Total')).toBeNull()
  answers['/v1/bills/{number}/rows'] = { items: [row(1, '2', '0.06')], next: null, count: 2 }
  await user.click(screen.getByRole('button', { name: 'Load more charges' }))
  expect(await rows.findByText('Total')).toBeTruthy()
  expect(asked('/v1/bills/{number}/rows').at(-1)).toMatchObject({ cursor: 'more', class: '', model: 'm' })
})
