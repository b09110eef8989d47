import { expect, test } from 'vitest'
import { layered } from './layout'

/** The columns of a layout, each with its nodes from top to bottom: "a | b c". */
function drawn(ids: string, lines: string): string {
  const { places, columns, rows } = layered(
    ids.split(' '),
    lines.split(' ').flatMap((line) => {
      const [from, to] = line.split('>')
      return from === undefined || to === undefined ? [] : [{ from, to }]
    }),
  )
  const table = Array.from({ length: columns }, () => [] as string[])
  for (const [id, { column, row }] of places) (table[column] ?? [])[row] = id
  expect(rows).toBe(Math.max(...table.map((column) => column.length)))
  return table.map((column) => column.join(' ')).join(' | ')
}

test('a tree has a column for each depth', () => {
  expect(drawn('r a b a1 b1 a2', 'r>a r>b a>a1 b>b1 a>a2')).toBe('r | a b | a1 a2 b1')
})

test('a node with several before it stands after the last of them', () => {
  expect(drawn('a b c d', 'a>b b>c a>d c>d')).toBe('a | b | c | d')
  expect(drawn('d a b c', 'a>d b>d c>d')).toBe('a b c | d')
})

test('in a column nodes follow those before them, else their own order', () => {
  expect(drawn('a b x y', 'a>y b>x')).toBe('a b | y x')
  expect(drawn('c a b', '')).toBe('c a b')
})

test('circles end, lines from or to nothing known count nowhere', () => {
  expect(drawn('a b c', 'a>b b>c c>a')).toBe('a | b | c')
  expect(drawn('s a b', 's>a a>b b>a')).toBe('s | a | b')
  expect(drawn('a b', 'a>a x>b b>x')).toBe('a b')
})

test('five hundred nodes in a chain and in a circle with all others take no time to speak of', () => {
  const ids = Array.from({ length: 500 }, (_, i) => `n${i}`)
  const chain = ids.slice(1).map((to, i) => ({ from: `n${i}`, to }))
  expect(layered(ids.toReversed(), chain)).toMatchObject({ columns: 500, rows: 1 })
  const all = ids.flatMap((from) => [
    { from, to: 'n0' },
    { from: 'n0', to: from },
  ])
  expect(layered(ids, all).places.size).toBe(500)
})
