import { expect, test } from 'vitest'
import { everything, formatFilter, leftOut, narrows, parseFilter, reversed, sorts, toQuery } from './filter'

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
  expect(parseFilter('?sort=price&status=done&min_tokens=many&dialect=&agent=a&agent=a&x=1')).toEqual({
    ...everything,
    agent: ['a'],
  })
})

test('what is left out of an address is named', () => {
  expect(leftOut('?status=bogus&status=ok&sort=price&min_tokens=many&max_cost=1.5&q=status')).toEqual([
    'status=bogus',
    'sort=price',
    'min_tokens=many',
  ])
})

test('everything is the shortest address', () => {
  expect(parseFilter('')).toEqual(everything)
  expect(formatFilter(everything)).toBe('')
  expect(narrows(parseFilter('?findings=1&sort=duration'))).toBe(false)
  expect(formatFilter(parseFilter('?findings=1&sort=duration'))).toBe('?findings=1&sort=duration')
  expect(toQuery(parseFilter('?findings=1'))).toEqual({ findings: '1', sort: '-started' })
  expect(narrows(parseFilter('?tool=bash'))).toBe(true)
})

test('amounts of money stay as they are', () => {
  const filter = parseFilter('?min_cost=0.000000000000000001&max_cost=12.50&sort=-cost')
  expect(toQuery(filter)).toEqual({ min_cost: '0.000000000000000001', max_cost: '12.50', sort: '-cost' })
  expect(formatFilter(filter)).toBe('?min_cost=0.000000000000000001&max_cost=12.50&sort=-cost')
})

test('sessions without a price and with usage of unknown names are filters', () => {
  const search = '?model=&model=m&provider=&unpriced=1'
  const filter = parseFilter(search)
  expect(filter).toEqual({ ...everything, model: ['', 'm'], provider: [''], unpriced: true })
  expect(formatFilter(filter)).toBe(search)
  expect(toQuery(filter)).toEqual({ sort: '-started', model: ['', 'm'], provider: [''], unpriced: '1' })
  expect(narrows(filter)).toBe(true)
  // Dialects are never unknown.
  expect(parseFilter('?dialect=&tag=&unknown=&unpriced=0')).toEqual(everything)
})

test('sessions with calls of unknown names are filters', () => {
  const search = '?tool=&unknown=call_model&unknown=tool_agent'
  const filter = parseFilter(search)
  expect(filter).toEqual({ ...everything, tool: [''], unknown: ['call_model', 'tool_agent'] })
  expect(formatFilter(filter)).toBe(search)
  expect(toQuery(filter)).toEqual({ sort: '-started', tool: [''], unknown: ['call_model', 'tool_agent'] })
  expect(narrows(filter)).toBe(true)
})

test('every order has its reverse', () => {
  for (const sort of sorts) {
    const other = reversed({ ...everything, q: 'nightly', sort })
    expect([other.sort.replace(/^-?/, ''), other.q]).toEqual([sort.replace(/^-?/, ''), 'nightly'])
    expect(other.sort.startsWith('-')).toBe(!sort.startsWith('-'))
    expect(reversed(other).sort).toBe(sort)
  }
})
