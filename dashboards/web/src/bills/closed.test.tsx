// @vitest-environment jsdom
import { screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { answering, renderAt } from '../testing/render'
import { ClosedBill } from './closed'

afterEach(() => vi.restoreAllMocks())

test('the command for the evidence names the server that the page came from', async () => {
  const bill = {
    ...{
      number: 'INV 1',
      account: 'c',
      account_name: 'c1',
      period: '2026-10',
      timezone: 'UTC',
      currency: 'USD',
    },
    ...{ closed_at: null, minor_units: 2, rows: 2, rows_hash: 'r', prices_hash: 'p', list_prices: null },
    ...{ charges: 2, corrections: 0, unpriced: 0, list_cost: '1', contracted_cost: '1', billed_cost: '1' },
    ...{ total: '1', residual: '0', lines: [], checked: {} },
  }
  answering({ '/v1/bills/{number}': bill, '/v1/facets': { tags: [] } })
  renderAt('/bills', <ClosedBill number="INV 1" />)
  expect((await screen.findByLabelText('the command for the evidence')).textContent).toBe(
    `tapedeck bills export 'INV 1' 'INV 1.zip' --server ${location.origin} --evidence`,
  )
})
