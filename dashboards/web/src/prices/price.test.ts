import { expect, test } from 'vitest'
import { inColumn, placesOf } from './price'

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
])('the prices %j of a column have as many decimal places', (prices, shown) => {
  const places = placesOf(prices)
  expect(prices.map((price) => inColumn(price, places))).toEqual(shown)
})
