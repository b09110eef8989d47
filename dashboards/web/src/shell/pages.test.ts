import { expect, test } from 'vitest'
import { navigationOf, pageAt } from './pages'

test.each([
  ['/', '/'],
  ['/sessions/a', '/'],
  ['/usage', '/usage'],
  ['/usage/reconciliation', '/usage/reconciliation'],
  ['/prices', '/prices'],
  ['/access', '/access'],
  ['/search', null],
  ['/usages', null],
])('the address %s belongs to the page %s', (path, page) => {
  expect(pageAt(path)).toBe(page)
})

test('only administrators find the page about access', () => {
  const names = (administrates: boolean) =>
    navigationOf(administrates)
      .flatMap((entry) => ('pages' in entry ? entry.pages : [entry]))
      .map(({ name }) => name)
  expect(names(true).filter((name) => !names(false).includes(name))).toEqual(['Access'])
})
