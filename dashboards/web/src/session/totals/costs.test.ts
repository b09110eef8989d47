import { expect, test } from 'vitest'
import type { Schemas } from '../../api/client'
import { span, usage } from '../conversation/messages.fixture'
import { costsOf, costSteps, stepAt } from './costs'

const usd = (amount: string) => ({ amount, currency: 'USD' })

test('costs and their shares add up without rounding', () => {
  expect(
    costsOf([
      usage('a', {
        cost: usd('0.10000000000000001'),
        cost_shares: { input: '0.1', output: '0.00000000000000001' },
      }),
      usage('b', { cost: usd('0.2'), cost_shares: { input: '0.2' } }),
      usage('c', { unpriced_reason: 'unknown_model' }),
      usage('d', { unpriced_reason: 'unknown_model' }),
    ]),
  ).toEqual({
    cost: usd('0.30000000000000001'),
    unpriced: ['unknown_model'],
    shares: { input: '0.3', output: '0.00000000000000001' },
  })
  expect(costsOf([usage('c', { unpriced_reason: 'no_model' })])).toEqual({
    cost: null,
    unpriced: ['no_model'],
    shares: {},
  })
})

test('the cost grows with each usage record', () => {
  const at = (ms: number) => new Date(Date.UTC(2026, 2, 2, 10) + ms).toISOString()
  const timeline = {
    started: at(0),
    usage: [usage('late', { at: at(900), cost: usd('0.3') })],
    spans: [
      span({
        children: [
          span({ usage: [usage('b', { at: at(500), cost: usd('0.02') }), usage('none', { at: at(600) })] }),
          span({ usage: [usage('a', { at: at(100), cost: usd('0.1') })] }),
        ],
      }),
    ],
  } as unknown as Schemas['Timeline']
  const steps = costSteps(timeline)
  expect(steps).toEqual([
    { at: 100, total: usd('0.1') },
    { at: 500, total: usd('0.12') },
    { at: 900, total: usd('0.42') },
  ])
  expect([0, 99, 100, 499, 500, 899, 900, 5000].map((moment) => stepAt(steps, moment)?.total.amount)).toEqual(
    [...[undefined, undefined, '0.1', '0.1', '0.12', '0.12', '0.42', '0.42']],
  )
  expect(stepAt([], 5)).toBeUndefined()
  const exact = { ...timeline, started: '2026-03-02T10:00:00.0009Z', spans: [] }
  expect(costSteps(exact)[0]?.at).toBe(899.1)
})
