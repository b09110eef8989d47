import { expect, test } from 'vitest'
import { blocksOf, inlinesOf } from './blocks'

const summary = (text: string) =>
  blocksOf(text).map((block) => {
    if (block.kind === 'code') return `code(${block.language}) ${block.text}`
    return block.kind === 'heading' ? `h${block.level} ${block.text}` : block.text
  })

test.each([
  ['', []],
  ['one\ntwo\n\n\nthree', ['one\ntwo', 'three']],
  ['see:\n```go\na\n\nb\n```\ndone', ['see:', 'code(go) a\n\nb', 'done']],
  ['```\nstill growi', ['code() still growi']],
  ['~~~~\n~~~\n~~~~~\nout', ['code() ~~~', 'out']],
  ['# Title #\ntext', ['h1 Title', 'text']],
  ['#no heading', ['#no heading']],
  ['  - a\n    - b', ['  - a\n    - b']],
  ['`````', ['code() ']],
  ['<b>not bold</b>', ['<b>not bold</b>']],
])('the blocks of %j', (text, want) => expect(summary(text)).toEqual(want))

test.each([
  ['plain', [['plain', 'plain']]],
  [
    'a `b` c',
    [
      ['plain', 'a '],
      ['code', 'b'],
      ['plain', ' c'],
    ],
  ],
  [
    '``a`b`` x',
    [
      ['code', 'a`b'],
      ['plain', ' x'],
    ],
  ],
  [
    '**so** *it*',
    [
      ['strong', 'so'],
      ['plain', ' *it*'],
    ],
  ],
  ['2 ** 3 ** 4', [['plain', '2 ** 3 ** 4']]],
  ['open `tick', [['plain', 'open `tick']]],
  ['', []],
])('the inlines of %j', (text, want) =>
  expect(inlinesOf(text).map(({ kind, text }) => [kind, text])).toEqual(want),
)
