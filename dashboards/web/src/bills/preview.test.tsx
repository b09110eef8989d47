// @vitest-environment jsdom
import { screen, within, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { api } from '../api/client'
import { answering, renderAt } from '../testing/render'
import { Preview } from './preview'
import type { Bill, BillPeriod } from './queries'

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
    rows_hash: 'r',
  },
  ...{ rows: 2, charges: 2, unpriced: 1, corrections: 0, list_cost: '0.046', contracted_cost: '0.046' },
  ...{
    billed_cost: '0.046',
    total: '0.05',
    residual: '0.004',
    billing_since: '2026-10-01T00:00:00Z',
    checked: {},
  },
  lines: [
    {
      ...{ class: '', charge_period: '2026-10', provider: 'p', model: 'm', unit: 'input_tokens' },
      ...{ quantity: '10', rows: 1, cost: '0.046', amount: '0.05', unpriced: false },
    },
    {
      ...{ class: '', charge_period: '2026-10', provider: 'p', model: 'new', unit: 'input_tokens' },
      ...{ quantity: '7', rows: 1, cost: '0', amount: '0', unpriced: true },
    },
  ],
}

const listed: BillPeriod = {
  ...{ account: 'customer=c1', account_name: 'c1', period: '2026-10', state: 'draft', number: null },
  ...{ period_start: bill.period_start, period_end: bill.period_end, closable_at: '2026-11-01T01:00:00Z' },
  ...{
    timezone: 'UTC',
    currency: 'USD',
    minor_units: 2,
    closed_at: null,
    total: null,
    unpriced: 1,
    calls: 2,
    cost: null,
    amount: null,
  },
}

afterEach(() => vi.restoreAllMocks())

function show(state: Partial<BillPeriod>) {
  const asked = answering({
    '/v1/bills': { items: [{ ...listed, ...state }], unbilled: [], never_billed: [], next: null },
    '/v1/bills/preview': { ...bill, correction_rows: [] },
    '/v1/facets': { tags: ['customer'] },
  })
  return { asked, ...renderAt('/bills', <Preview account="customer=c1" period="2026-10" />) }
}

test('a period that is not over is not closed', async () => {
  show({ state: 'open', closable_at: '2126-11-01T01:00:00Z' })
  expect(await screen.findByRole('button', { name: 'Close the period' })).toHaveProperty('disabled', true)
})

test('amounts are rounded as billed, and a line without a price is not free', async () => {
  show({})
  const lines = within(await screen.findByRole('region', { name: 'Lines' }))
  expect(lines.getByRole('row', { name: /^m / }).textContent).toContain('$0.0460$0.05')
  expect(lines.getByRole('row', { name: /^new / }).textContent).toContain('no price')
})

test('lines are apart by the values of a tag', async () => {
  const user = userEvent.setup()
  const [first, ...others] = bill.lines
  const asked = answering({
    '/v1/bills': { items: [listed], unbilled: [], never_billed: [], next: null },
    '/v1/facets': { tags: ['customer'] },
    '/v1/bills/preview': {
      ...bill,
      by: 'customer',
      lines: [{ ...first, tag_value: 'blue sky' }, ...others],
      correction_rows: [],
    },
  })
  renderAt('/bills', <Preview account="tenant" period="2026-10" />)
  await user.selectOptions(await screen.findByRole('combobox', { name: 'Lines apart by' }), 'By customer')
  await waitFor(() =>
    expect(asked('/v1/bills/preview').at(-1)).toEqual({
      account: 'tenant',
      period: '2026-10',
      by: 'customer',
    }),
  )
  const lines = within(await screen.findByRole('region', { name: 'Lines' }))
  expect(lines.getByRole('row', { name: /^blue sky m / })).toBeTruthy()
  expect(lines.getByRole('row', { name: /^none new / })).toBeTruthy()
})

test('a refusal to close is shown, and the bill once it is made', async () => {
  const user = userEvent.setup()
  const { history, asked } = show({})
  const post = vi.spyOn(api, 'POST')
  post.mockResolvedValueOnce({
    error: { title: 'Period is closed', status: 409, detail: 'The period 2026-10 is closed already.' },
    response: new Response(null, { status: 409 }),
  })
  await user.click(await screen.findByRole('button', { name: 'Close the period' }))
  const dialog = within(await screen.findByRole('dialog'))
  expect(dialog.getByText(/1 charge has no price/)).toBeTruthy()
  await user.click(dialog.getByRole('button', { name: 'Close the period' }))
  expect((await dialog.findByRole('alert')).textContent).toContain('is closed already')
  expect(history).toHaveLength(1)
  post.mockResolvedValueOnce({
    data: { ...bill, number: 'INV-000001' },
    response: Response.json({}),
  })
  await user.click(dialog.getByRole('button', { name: 'Close the period' }))
  await waitFor(() => expect(history.at(-1)).toBe('/bills?number=INV-000001'))
  expect(post.mock.calls[0]).toEqual([
    '/v1/bills',
    { params: { query: { account: 'customer=c1', period: '2026-10' } } },
  ])
  // The list is read again, the preview is not: the API refuses one of a closed period.
  await waitFor(() => expect(asked('/v1/bills')).toHaveLength(2))
  expect(asked('/v1/bills/preview')).toHaveLength(1)
})

test('a first bill leaves earlier usage only when that is ticked', async () => {
  const user = userEvent.setup()
  answering({
    '/v1/bills': { items: [listed], unbilled: [], never_billed: [], next: null },
    '/v1/facets': { tags: ['customer'] },
    '/v1/bills/preview': {
      ...bill,
      never_billed: [
        { account: bill.account, period: '2026-08', calls: 2, unpriced: 0, cost: null },
        { account: bill.account, period: '2026-07', calls: 1, unpriced: 1, cost: null },
      ],
      correction_rows: [],
    },
  })
  renderAt('/bills', <Preview account="customer=c1" period="2026-10" />)
  const post = vi.spyOn(api, 'POST')
  post.mockResolvedValueOnce({ data: { ...bill, number: 'INV-000001' }, response: Response.json({}) })
  await user.click(await screen.findByRole('button', { name: 'Close the period' }))
  const dialog = within(await screen.findByRole('dialog'))
  expect(dialog.getByText(/2 earlier months \(Jul 2026, Aug 2026\) have usage/)).toBeTruthy()
  const closes = dialog.getByRole('button', { name: 'Close the period' })
  expect(closes).toHaveProperty('disabled', true)
  await user.click(dialog.getByRole('checkbox'))
  await user.click(closes)
  await waitFor(() =>
    expect(post.mock.calls[0]).toEqual([
      '/v1/bills',
      { params: { query: { account: 'customer=c1', period: '2026-10', leave_earlier: '1' } } },
    ]),
  )
})
