import { expect, test } from 'vitest'
import { blocksOf, nextDifference } from './blocks'
import type { ComparedStep } from './queries'

/** Rows of classes: = is a row that matches, x one that differs. */
const rows = (text: string): ComparedStep[] =>
  Array.from(text, (sign) => sign).map(
    (sign, index) => ({ index, class: sign === '=' ? 'matched' : 'only_a' }) as ComparedStep,
  )

const shown = (text: string, unfolded: number[] = []) =>
  blocksOf(rows(text), new Set(unfolded))
    .map((block) => ('row' in block ? (block.row.class === 'matched' ? '=' : 'x') : `(${block.same.length})`))
    .join('')

test('runs of equal rows are folded, but for those next to a difference', () => {
  expect(shown('======x==x=======')).toBe('(5)=x==x=(6)')
  expect(shown('==x==')).toBe('==x==')
  expect(shown('x======x')).toBe('x=(4)=x')
  expect(shown('======')).toBe('(6)')
  expect(shown('')).toBe('')
})

test('a run that was opened stays open', () => {
  expect(shown('x======x======', [2])).toBe('x======x=(5)')
})

test('every row is there once', () => {
  const all = rows('==x====xx=x========xx')
  const found = blocksOf(all, new Set()).flatMap((block) => ('row' in block ? [block.row] : block.same))
  expect(found.map(({ index }) => index)).toEqual(all.map(({ index }) => index))
})

test('the next and the previous difference', () => {
  const all = rows('=x==xx=')
  expect(nextDifference(all, null, false)?.index).toBe(1)
  expect(nextDifference(all, 1, false)?.index).toBe(4)
  expect(nextDifference(all, 5, false)).toBeUndefined()
  expect(nextDifference(all, 4, true)?.index).toBe(1)
  expect(nextDifference(all, null, true)?.index).toBe(5)
})
