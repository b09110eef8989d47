import { expect, test } from 'vitest'
import { perText, tierTexts, unitAmount } from './price'
import type { PriceRule } from './queries'
import { effectText, whenText } from './rules'

const rule: PriceRule = {
  ...{
    section: 'overlay',
    name: 'r',
    when: {},
    prices: [],
    whole: false,
    factor: null,
    units: [],
    source: null,
  },
}

test('conditions and effects of rules', () => {
  expect(whenText({})).toBe('always')
  expect(whenText({ service_tier: 'batch', region: ['us', 'eu'] })).toBe(
    'service_tier batch, region ["us","eu"]',
  )
  expect(effectText({ ...rule, factor: '0.5', units: ['tokens'] }, 'USD')).toBe('× 0.5 of tokens')
  const price = {
    unit: 'input_tokens',
    price_key: 'input_mtok',
    per: 1_000_000,
    list_price: null,
    price: '3',
    tiers: [],
  }
  expect(effectText({ ...rule, prices: [price], whole: true }, 'EUR')).toBe(
    'input_mtok €3, no other unit has a price',
  )
})

test('prices are in full', () => {
  expect(unitAmount('0.075', 'USD')).toBe('$0.075')
  expect(perText({ per: 1_000_000, unit: 'cache_read_tokens' })).toBe('1,000,000 cache read tokens')
  expect(tierTexts({ tiers: [{ above_input_tokens: 200_000, price: '6' }] }, 'USD')).toEqual([
    '$6 for calls with more than 200,000 input tokens',
  ])
})
