import { expect, test } from 'vitest'
import { addressOf, momentOf } from './address'

const started = '2026-01-02T03:04:05Z'
const position = '1767323046500000000.019b7d3c-0000-7000-8000-000000000000.4'

test.each([
  ['', null],
  ['?t=', null],
  ['?t=soon', null],
  ['?t=12.5', { offset: 12_500, position: null }],
  ['?t=-3', { offset: 0, position: null }],
  [`?x=1&t=${position}`, { offset: 1500, position }],
])('%s', (search, want) => expect(momentOf(search, started)).toEqual(want))

test('the address of a moment leads back to it', () => {
  const address = addressOf('http://deck:4600/sessions/a%2Fb?t=4&from=x', 1234.567891)
  expect(address).toBe('http://deck:4600/sessions/a%2Fb?t=1.234567891')
  expect(momentOf(new URL(address).search, started)).toEqual({ offset: 1234.567891, position: null })
})

test.each([
  ['http://deck:4600/share?tab=totals#tds_secret', 'http://deck:4600/share?tab=totals&t=2#tds_secret'],
  ['file:///home/me/release.html?t=4', 'file:///home/me/release.html?t=2'],
])('a moment of %s is on the same page', (page, want) => expect(addressOf(page, 2000)).toBe(want))
