import { expect, test } from 'vitest'
import { bytes, compact, counted, axisMoney, exactMoney, money, percent, roundedMoney } from './numbers'

test.each([
  [0, '0'],
  [950, '950'],
  [999.6, '1.00k'],
  [1_000, '1.00k'],
  [12_345, '12.3k'],
  [999_600, '1.00M'],
  [123_456_789, '123M'],
  [4.2e9, '4.20G'],
  [-1_500, '−1.50k'],
])('%d in short is %s', (n, want) => expect(compact(n)).toBe(want))

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [22_297, '22.3 kB'],
  [8_400_000, '8.40 MB'],
])('%d bytes are %s', (n, want) => expect(bytes(n)).toBe(want))

test.each([
  [0, '0 %'],
  [0.0001, '< 0.1 %'],
  [0.004, '0.4 %'],
  [0.125, '13 %'],
  [0.996, '99.6 %'],
  [0.9999, '> 99.9 %'],
  [1, '100 %'],
])('%d of all is %s', (n, want) => expect(percent(n)).toBe(want))

test.each([
  [0, '$0.00'],
  [0.0042, '$0.0042'],
  [1250, '$1,250.00'],
  [0.00004, '< $0.0001'],
  [-0.00004, '> −$0.0001'],
  [-2.5, '−$2.50'],
])('%d dollars are %s', (n, want) => expect(money({ amount: String(n), currency: 'USD' })).toBe(want))

test('one and many', () => {
  expect(counted(1, 'call')).toBe('1 call')
  expect(counted(2_000, 'call')).toBe('2,000 calls')
  expect(counted(2, 'discrepancy', 'discrepancies')).toBe('2 discrepancies')
})

test('an amount in full is as the API has it', () => {
  expect(exactMoney({ amount: '0.000000000012345678', currency: 'EUR' })).toBe('0.000000000012345678 EUR')
})

test('a rounded amount has the places of its currency', () => {
  expect(roundedMoney({ amount: '0.07', currency: 'USD' }, 2)).toBe('$0.07')
  expect(roundedMoney({ amount: '1250', currency: 'JPY' }, 0)).toBe('¥1,250')
  expect([0, 0.25, 1, 1.5, 1250, 0.00001].map((amount) => axisMoney(amount, 'USD'))).toEqual([
    ...['$0', '$0.25', '$1', '$1.50', '$1,250', '$0.00001'],
  ])
})
