import { expect, test } from 'vitest'
import { isNarrowed, parseSearch, searchAddress, searchQuery } from './params'

test.each([
  '/search',
  '/search?q=%22connection+refused%22',
  '/search?q=a&from=now-24h&tool=bash&tag=team%3Aa&status=error&kind=tool_result&role=tool&session=s+1&order=relevance',
])('the address %s holds a whole search', (address) => {
  expect(searchAddress(parseSearch(address.slice('/search'.length)))).toBe(address)
})

test('what is not understood is left out of a search', () => {
  expect(searchAddress(parseSearch('?q=a&kind=said&role=robot&order=oldest&sort=-cost&session='))).toBe(
    '/search?q=a',
  )
})

test('the parameters of the API have no order of sessions', () => {
  expect(searchQuery(parseSearch('?q=a&role=tool&min_tokens=5&findings=1'))).toEqual({
    q: 'a',
    role: ['tool'],
    min_tokens: 5,
    order: 'newest',
  })
})

test('the order and the words narrow nothing', () => {
  expect(isNarrowed(parseSearch('?q=a&order=relevance'))).toBe(false)
  expect(isNarrowed(parseSearch('?q=a&session=s'))).toBe(true)
  expect(isNarrowed(parseSearch('?q=a&from=now-1h'))).toBe(true)
})
