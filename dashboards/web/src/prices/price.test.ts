import { expect, test } from 'vitest'
import { inColumn, placesOf, shortUnit, unitAmount } from './price'

test.each([
  [
    ['3', '0.8', '12.5'],
    ['3.00', '0.80', '12.50'],
  ],
  [
    ['3', '0.075', '12.5'],
    ['3.000', '0.075', '12.500'],
  ],
  [
    ['3', '0.0000025'],
    ['3.0000', '0.0000025'],
  ],
])('the prices %j of a table have as many decimal places', (prices, shown) => {
  const places = placesOf(prices)
  expect(prices.map((price) => inColumn(price, places))).toEqual(shown)
})

test.each([
  ['3', '$3'],
  ['0.6', '$0.60'],
  ['22.5', '$22.50'],
  ['0.075', '$0.075'],
])('the price %s in a sentence is %s', (price, shown) => {
  expect(unitAmount(price, 'USD')).toBe(shown)
})

test.each([
  [1_000_000, 'cache_write_1h_tokens', 'cache write 1h'],
  [1_000, 'web_searches', 'for 1,000 web searches'],
  [1_000, 'input_tokens', 'for 1,000 input tokens'],
])('%i %s beside prices for a million tokens are %s', (per, unit, short) => {
  expect(shortUnit({ per, unit })).toBe(short)
})
