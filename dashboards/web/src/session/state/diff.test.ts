import { expect, test } from 'vitest'
import { type Change, changePath, changesOf, mostChanges } from './diff'

const sign = { added: '+', removed: '-', changed: '~' }
const lines = (before: unknown, after: unknown) =>
  changesOf(before, after).map((change: Change) => `${sign[change.kind]} ${changePath(change)}`)

test.each([
  [{ a: 1 }, { a: 1 }, []],
  [{ a: 1, b: { c: [1, 2] } }, { b: { c: [1, 2] }, a: 1 }, []],
  [{ a: 1, gone: 2 }, { a: 3, new: null }, ['~ $.a', '- $.gone', '+ $.new']],
  [{ list: [1, 2] }, { list: [1, 2, 3] }, ['+ $.list[2]']],
  // One is taken from the front: nothing else moved.
  [{ list: ['x', 'y', 'z'] }, { list: ['y', 'z'] }, ['- $.list[0]']],
  [
    { list: [{ id: 1 }, { id: 2, done: false }] },
    { list: [{ id: 1 }, { id: 2, done: true }] },
    ['~ $.list[1].done'],
  ],
  [{ a: [1] }, { a: { b: 1 } }, ['~ $.a']],
  [null, { a: 1 }, ['~ $']],
  [{ 'a b': 1 }, { 'a b': 2 }, ['~ $["a b"]']],
  // A name of every object is a name like others.
  [{}, { constructor: 1 }, ['+ $.constructor']],
])('%j to %j', (before, after, want) => expect(lines(before, after)).toEqual(want))

test('so many differences are listed, and what is nested deeply differs as a whole', () => {
  const many = Object.fromEntries(Array.from({ length: 2 * mostChanges }, (_, i) => [`n${i}`, i]))
  expect(changesOf({}, many)).toHaveLength(mostChanges)
  const deep = (leaf: unknown) => Array.from({ length: 5000 }).reduce<unknown>((value) => [value], leaf)
  expect(changesOf(deep(1), deep(2))).toHaveLength(1)
})
