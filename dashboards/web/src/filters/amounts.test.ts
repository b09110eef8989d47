import { expect, test } from 'vitest'
import { costAmount, goDuration, rangeText, tokenCount } from './amounts'

test.each([
  ['90', '90s'],
  ['1.5s', '1.5s'],
  ['1m 30s', '1m30s'],
  ['2H', '2h'],
  ['250ms', '250ms'],
  ['', null],
  ['soon', null],
  ['-1s', null],
  ['1d', null],
])('%s as a length of time is %s', (text, want) => expect(goDuration(text)).toBe(want))

test.each([
  ['5000', '5000'],
  ['5,000', '5000'],
  ['1,234,567', '1234567'],
  ['1,5k', null],
  ['12.5k', '12500'],
  ['1 M', '1000000'],
  ['', null],
  ['-1', null],
  ['1e9', null],
])('%s as a count is %s', (text, want) => expect(tokenCount(text)).toBe(want))

test.each([
  ['0.05', '0.05'],
  ['$1,250', '1250'],
  ['$1,250.50', '1250.50'],
  ['1,25', null],
  ['1,2500', null],
  ['1,250,5', null],
  ['.5', '0.5'],
  ['€ 3', '3'],
  ['1.2345678901234567890', null],
  ['', null],
  ['.', null],
  ['-1', null],
  ['1e3', null],
])('%s as a cost is %s', (text, want) => expect(costAmount(text)).toBe(want))

test('ranges', () => {
  expect(rangeText('', '')).toBe('')
  expect(rangeText('1m', '')).toBe('≥ 1m')
  expect(rangeText('', '5m')).toBe('≤ 5m')
  expect(rangeText('1m', '5m')).toBe('1m – 5m')
})
