import { expect, test } from 'vitest'
import { pathText } from './path'
import { marked, mostMatches, searched } from './search'

const value = {
  items: [
    { name: 'Ada', 'e mail': 'ada@example.org' },
    { name: 'Bo', on: true, n: 12 },
  ],
  none: null,
}
const paths = (query: string) => searched(value, query).matches.map(({ path }) => pathText(path))

test('finds names and values in the order of the tree, whatever the case', () => {
  expect(paths('ADA')).toEqual(['$.items[0].name', '$.items[0]["e mail"]'])
  expect(paths('name')).toEqual(['$.items[0].name', '$.items[1].name'])
  expect(paths('true')).toEqual(['$.items[1].on'])
  expect(paths('12')).toEqual(['$.items[1].n'])
  expect(paths('null')).toEqual(['$.none'])
  expect(paths('  ')).toEqual([])
})

test('opens what matches are in, and nothing else', () => {
  expect([...searched(value, 'bo').open]).toEqual(['"items"/#1/"name"/', '"items"/#1/', '"items"/', ''])
})

test('keeps so many matches, and goes as deep as a value is nested', () => {
  const many = searched(
    Array.from({ length: 2000 }, () => 'x'),
    'x',
  )
  expect([many.matches.length, many.more]).toEqual([mostMatches, true])
  let deep: unknown = 'needle'
  for (let i = 0; i < 5000; i++) deep = [deep]
  expect(searched(deep, 'needle').matches[0]?.path).toHaveLength(5000)
})

test('marks what is searched for as text', () => {
  expect(marked('a.b and A.B', 'a.b')).toEqual(['', 'a.b', ' and ', 'A.B', ''])
  expect(marked('plain', '')).toEqual(['plain'])
})
