import { expect, test } from 'vitest'
import type { ReconciledSession } from './queries'
import { differencesOf, exact } from './rows'

const session = {
  session_id: 's',
  totals: [
    { kind: 'run', of: 'r1', run_id: 'r1', stated: 1500, calls: 1450, difference: 50, raw: null },
    { kind: 'run', of: 'r2', run_id: 'r2', stated: null, calls: null, difference: null, raw: null },
  ],
  stated_costs: [
    {
      currency: 'USD',
      calls: 4,
      stated: '0.5105',
      unpriced_calls: 1,
      priced: '0.0105',
      difference: '0.0001',
      differing_calls: 2,
    },
    {
      currency: 'EUR',
      calls: 1,
      stated: '1',
      unpriced_calls: 1,
      priced: null,
      difference: null,
      differing_calls: 0,
    },
  ],
  findings: [
    { code: 'stated_total', count: 1, detail: 'd' },
    { code: 'lost_frames', count: 3, detail: '3 frames were lost.' },
    { code: 'stated_cost', count: 2, detail: 'd' },
  ],
} as unknown as ReconciledSession

test('each total and each currency that differs is a row, as is any other finding', () => {
  expect(
    differencesOf([session]).map(({ code, what, stated, counted, difference }) => [
      code,
      what,
      stated,
      counted,
      difference,
    ]),
  ).toEqual([
    ['stated_total', 'Total of run r1', '1,500', '1,450', '50'],
    ['lost_frames', '3 frames were lost.', '', '', ''],
    ['stated_cost', '2 of 3 priced calls, 1 more without a price', '0.5105 USD', '0.0105 USD', '0.0001 USD'],
  ])
})

test('decimals are shown in full', () => {
  expect(['0', '-5', '1234567', '-1234.50670', '0.0000000001'].map(exact)).toEqual([
    '0',
    '−5',
    '1,234,567',
    '−1,234.50670',
    '0.0000000001',
  ])
})
