import { describe, expect, test } from 'vitest'
import { countUntil, cutPoints, growthOf, lengthAt, wholeAt } from './growth'
import { message } from './messages.fixture'

const bytes = (text: string) => new TextEncoder().encode(text).length

describe('cutting at bytes of UTF-8', () => {
  test.each([
    ['plain', [0, 1, 5], ['', 'p', 'plain']],
    ['höher', [1, 2, 3, 6], ['h', 'h', 'hö', 'höher']],
    ['€5', [1, 2, 3, 4], ['', '', '€', '€5']],
    ['a🎞b', [1, 2, 4, 5, 6], ['a', 'a', 'a', 'a🎞', 'a🎞b']],
    ['👩‍🚀', [4, 7, 11], ['👩', '👩‍', '👩‍🚀']],
    ['beyond', [99], ['beyond']],
    ['', [0, 3], ['', '']],
    ['twice', [2, 2, 5], ['tw', 'tw', 'twice']],
  ])('%s at %j', (text, ends, want) => {
    expect([...cutPoints(text, ends)].map((cut) => text.slice(0, cut))).toEqual(want)
  })

  test('every whole character of a mixed text is cut where it ends', () => {
    const characters = Array.from('Zwölf Boxkämpfer — 日本語 🎬🎞 fin\n\t"')
    let text = ''
    const ends: number[] = []
    const want: number[] = []
    for (const character of characters) {
      text += character
      ends.push(bytes(text))
      want.push(text.length)
    }
    expect([...cutPoints(text, ends)]).toEqual(want)
  })
})

describe('a text at a moment', () => {
  const grew = message({
    text: 'one two three',
    start_ms: 10,
    chunks: { offset_ms: [10, 20, 20, 35.5], end: [3, 7, 8, 13] },
  })

  test.each([
    [-1, ''],
    [9.999999, ''],
    [10, 'one'],
    [19.9, 'one'],
    [20, 'one two '],
    [35.499, 'one two '],
    [35.5, 'one two three'],
    [1e9, 'one two three'],
  ])('at %d ms it says %j', (moment, want) => {
    expect(grew.text.slice(0, lengthAt(growthOf(grew), moment))).toBe(want)
  })

  test('is whole at its last piece', () => expect(wholeAt(growthOf(grew))).toBe(35.5))

  test.each([undefined, { offset_ms: [], end: [] }])('came whole where it has no pieces: %j', (chunks) => {
    const whole = message({ text: 'all', start_ms: 5, ...(chunks && { chunks }) })
    expect(lengthAt(growthOf(whole), 4.9)).toBe(0)
    expect(lengthAt(growthOf(whole), 5)).toBe(3)
  })

  test('does not show what follows a part that is missing', () => {
    const back = message({ text: 'abc', chunks: { offset_ms: [10, 8, 12], end: [1, 2, 3] } })
    expect([7, 8, 9, 10, 12].map((moment) => lengthAt(growthOf(back), moment))).toEqual([0, 0, 0, 2, 3])
  })

  test('is the same as going through the pieces one by one', () => {
    const pieces = Array.from({ length: 500 }, (_, i) => ['ä', 'word ', '🎞', '\n', '日本'][i % 5] ?? '')
    let text = ''
    const chunks = { offset_ms: [] as number[], end: [] as number[] }
    pieces.forEach((piece, i) => {
      text += piece
      chunks.offset_ms.push(Math.floor(i / 3) * 1.25)
      chunks.end.push(bytes(text))
    })
    const growth = growthOf(message({ text, chunks }))
    for (let moment = -1; moment < 220; moment += 0.625) {
      const want = pieces.filter((_, i) => Math.floor(i / 3) * 1.25 <= moment).join('')
      expect(text.slice(0, lengthAt(growth, moment))).toBe(want)
    }
  })
})

test('a text of 100,000 pieces is worked out once and asked in no time', () => {
  const text = 'wörd '.repeat(100_000)
  const chunks = {
    offset_ms: Array.from({ length: 100_000 }, (_, i) => i),
    end: Array.from({ length: 100_000 }, (_, i) => (i + 1) * 6),
  }
  const long = message({ text, chunks })
  const growth = growthOf(long)
  expect(growthOf(long)).toBe(growth)
  let steps = 0
  const counted = new Proxy(growth.at, {
    get: (target, key) =>
      key === 'length' ? target.length : (steps++, Reflect.get(target, key, target) as number),
  })
  expect(countUntil(counted, 70_000.5)).toBe(70_001)
  expect(steps).toBeLessThan(20)
  expect(lengthAt(growth, 70_000.5)).toBe(70_001 * 5)
})
