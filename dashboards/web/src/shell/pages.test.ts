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
  const names = (administrates: boolean, current?: string) =>
    navigationOf(administrates, current)
      .flatMap((entry) => ('pages' in entry ? entry.pages : [entry]))
      .map(({ name }) => name)
  const added = (...of: [boolean, string?]) => names(...of).filter((name) => !names(false).includes(name))
  expect(added(true)).toEqual(['Access'])
  expect(added(false, '/audit')).toEqual([])
  expect(added(false, '/access')).toEqual(['Access']) // its group is marked as the present one
})
