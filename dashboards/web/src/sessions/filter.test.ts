import { expect, test } from 'vitest'
import { everything, formatFilter, narrows, parseFilter, toQuery } from './filter'

test('an address says what is listed', () => {
  const search =
    '?q=nightly&from=now-24h&min_duration=1m30s&max_tokens=5000&agent=a+b&agent=c&tag=team%3Aci&status=ok&status=error&sort=-tokens'
  const filter = parseFilter(search)
  expect(filter).toEqual({
    ...everything,
    q: 'nightly',
    from: 'now-24h',
    min_duration: '1m30s',
    max_tokens: '5000',
    agent: ['a b', 'c'],
    tag: ['team:ci'],
    status: ['ok', 'error'],
    sort: '-tokens',
  })
  expect(formatFilter(filter)).toBe(search)
  expect(toQuery(filter)).toEqual({
    q: 'nightly',
    from: 'now-24h',
    min_duration: '1m30s',
    max_tokens: 5000,
    agent: ['a b', 'c'],
    tag: ['team:ci'],
    status: ['ok', 'error'],
    sort: '-tokens',
  })
})

test('what an address says wrongly is left out', () => {
  expect(parseFilter('?sort=cost&status=done&min_tokens=many&agent=&agent=a&agent=a&x=1')).toEqual({
    ...everything,
    agent: ['a'],
  })
})

test('everything is the shortest address', () => {
  expect(parseFilter('')).toEqual(everything)
  expect(formatFilter(everything)).toBe('')
  expect(narrows(parseFilter('?sort=duration'))).toBe(false)
  expect(narrows(parseFilter('?tool=bash'))).toBe(true)
})
