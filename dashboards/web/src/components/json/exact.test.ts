import { expect, test } from 'vitest'
import { exactText, exactValue } from './exact'

test('whole numbers keep their digits, and all else is as JSON.parse has it', () => {
  const text =
    '{"id":1234567890123456789,"list":[-9007199254740993,9007199254740991,0.12345678901234567,1e30],' +
    '"1234567890123456789":"say \\"1234567890123456789\\\\","n":12345678901234567.5}'
  expect(exactValue(text)).toEqual({
    id: 1234567890123456789n,
    list: [-9007199254740993n, 9007199254740991, Number('0.12345678901234567'), 1e30],
    '1234567890123456789': 'say "1234567890123456789\\',
    n: Number('12345678901234567.5'),
  })
  expect(exactValue('1774703100123456789')).toBe(1774703100123456789n)
  expect(exactValue('[1,"a"]')).toEqual([1, 'a'])
})

test('what is no JSON is refused, and what is nested deeply is read', () => {
  expect(() => exactValue('{"id":1234567890123456789')).toThrow(SyntaxError)
  expect(() => exactValue('{"id":"1234567890123456789')).toThrow(SyntaxError)
  const deep = `${'['.repeat(100_000)}1234567890123456789${']'.repeat(100_000)}`
  expect(Array.isArray(exactValue(deep))).toBe(true)
})

test('a value is written with the digits that it was read with', () => {
  expect(exactText(exactValue('{"id": 1234567890123456789, "s": "1"}'))).toBe(
    '{"id":1234567890123456789,"s":"1"}',
  )
  expect(exactText({ n: [1n] }, 2)).toBe('{\n  "n": [\n    1\n  ]\n}')
})
