import { expect, test } from 'vitest'
import { definitionsOf, inFence, isTame, piecesOf, safeAddress } from './pieces'

test.each([
  ['one paragraph', ['one paragraph']],
  ['a\n\nb', ['a\n\n', 'b']],
  ['# Head\n\ntext\nmore\n\n\nend\n', ['# Head\n\n', 'text\nmore\n\n\n', 'end\n']],
  ['- a\n\n- b\n\n  more of b\n\nend', ['- a\n\n- b\n\n  more of b\n\n', 'end']],
  ['> a\n\n> b', ['> a\n\n> b']],
  ['1. a\n\n2. b\n\nend', ['1. a\n\n2. b\n\n', 'end']],
  ['```go\na\n\nb\n```\n\nend', ['```go\na\n\nb\n```\n\n', 'end']],
  ['~~~\na\n\n```\n\nb', ['~~~\na\n\n```\n\nb']],
  ['', []],
])('the pieces of %j', (text, want) => {
  expect(piecesOf(text)).toEqual(want)
  expect(piecesOf(text).join('')).toBe(text)
})

test.each([
  ['```\na', true],
  ['```\na\n```', false],
  ['~~~~\n~~~\n', true],
  ['text', false],
])('%j ends in a fence: %s', (text, want) => expect(inFence(text)).toBe(want))

test.each([
  ['text', true],
  ['- a\n  - b\n    - c', true],
  ['--------------------------------------------', true],
  ['| --- | --- |', true],
  ['> '.repeat(10_000), false],
  ['>'.repeat(10_000), false],
  ['- '.repeat(10_000), false],
  ['1. '.repeat(30), false],
  [`${' '.repeat(62)}- deep`, false],
  ['a'.repeat(1 << 20), false],
  ['*a **a '.repeat(1000), false],
  ['['.repeat(10_000), false],
])('a text is read as Markdown: %#', (text, want) => expect(isTame(text)).toBe(want))

test('definitions of links are found, but not without bound', () => {
  expect(definitionsOf('see [a]\n\n[a]: https://a.example/\n')).toBe('[a]: https://a.example/')
  expect(definitionsOf('nothing')).toBe('')
  expect(definitionsOf('[a]: x\n'.repeat(5000)).length).toBeLessThan(1000)
})

test.each([
  ['https://a.example/b?c#d', 'https://a.example/b?c#d'],
  ['HTTP://a.example', 'HTTP://a.example'],
  ['mailto:a@b.example', 'mailto:a@b.example'],
  ['javascript:alert(1)', null],
  [' JavaScript:alert(1)', null],
  ['java\nscript:alert(1)', null],
  ['data:text/html,<script>', null],
  ['vbscript:x', null],
  ['file:///etc/passwd', null],
  ['//a.example', null],
  ['/v1/sessions', null],
  ['https://a.example/ onclick=', null],
])('the address %j leads to %s', (address, want) => expect(safeAddress(address)).toBe(want))
