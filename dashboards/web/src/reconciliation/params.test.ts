import { expect, test } from 'vitest'
import { apiQuery, formatParams, parseParams } from './params'

test('the address names what is not as usual', () => {
  for (const search of [
    '',
    '?from=now-24h',
    '?from=&to=2026-01-01',
    '?q=night&finding=stated_cost%2Clost_frames',
  ])
    expect(formatParams(parseParams(search))).toBe(search)
})

test('what the address does not know is left out', () => {
  expect(parseParams('?finding=nonsense,cut_off').findings).toEqual(['cut_off'])
})

test('without a finding any is asked for', () => {
  expect(apiQuery(parseParams(''))).toEqual({ from: 'now-7d', finding: ['any'] })
  expect(apiQuery(parseParams('?from=&finding=cut_off'))).toEqual({ finding: ['cut_off'] })
})
