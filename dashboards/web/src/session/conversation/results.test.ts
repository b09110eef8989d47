import { expect, test } from 'vitest'
import { commandResult, fileText, foundIn } from './results'

test.each([
  ['ok\n', { output: 'ok\n', exit: null }],
  ['Exit code 2\nmake: failed', { output: 'make: failed', exit: 2 }],
  ['Exit code: 0\nWall time: 0.1 seconds\nOutput:\nhi\n', { output: 'hi\n', exit: 0 }],
  ['Chunk ID: a\nWall time: 0.1\nProcess exited with code 1\nOutput:\nhi', { output: 'hi', exit: 1 }],
  ['{"output":"hi","metadata":{"exit_code":3,"duration_seconds":0.1}}', { output: 'hi', exit: 3 }],
  ['{"stdout":"a","stderr":"b","exit_code":0}', { output: 'a\nb', exit: 0 }],
  ['{"other":1}', { output: '{"other":1}', exit: null }],
  ['{broken', { output: '{broken', exit: null }],
  ['{"output":"x","metadata":null}', { output: 'x', exit: null }],
])('the result %j', (text, want) => expect(commandResult(text)).toEqual(want))

test.each([
  ['     1→package a\n     2→\n', { text: 'package a\n', first: 1, note: '' }],
  ['    40\tx\n    41\ty\n\n<system-reminder>', { text: 'x\ny', first: 40, note: '<system-reminder>' }],
  ['plain\ntext', { text: 'plain\ntext', first: 7, note: '' }],
  ['1→a\n3→b', { text: 'a', first: 1, note: '3→b' }],
])('the file %j', (text, want) => expect(fileText(text, 7)).toEqual(want))

test('the pages of a search are found in JSON of any form', () => {
  const links =
    'Links: [{"title":"A \\"b\\"","url":"https://a.example/"},{"url":"https://b.example","title":"B"}]'
  expect(foundIn(links)).toEqual([
    { title: 'A "b"', url: 'https://a.example/' },
    { title: 'B', url: 'https://b.example' },
  ])
  expect(foundIn('[{"title":"x","url":"javascript:alert(1)"}]')).toEqual([])
})
