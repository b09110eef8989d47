import { expect, test } from 'vitest'
import { linesOf, patchLines, type DiffLine } from './lines'

const marks = { same: ' ', added: '+', removed: '-', head: '@' }
const short = (lines: readonly DiffLine[]) =>
  lines.map(({ kind, text, before, after }) => `${marks[kind]}${text} ${before ?? '.'}/${after ?? '.'}`)

test('one changed line of thirty is seen, with three lines around it', () => {
  const old = Array.from({ length: 30 }, (_, i) => `line ${i + 1}`)
  const now = old.with(11, 'LINE 12')
  expect(short(linesOf(old.join('\n'), now.join('\n')))).toEqual([
    '@8 unchanged lines ./.',
    ' line 9 9/9',
    ' line 10 10/10',
    ' line 11 11/11',
    '-line 12 12/.',
    '+LINE 12 ./12',
    ' line 13 13/13',
    ' line 14 14/14',
    ' line 15 15/15',
    '@15 unchanged lines ./.',
  ])
})

test.each([
  ['', 'a\n', ['+a ./1']],
  ['a', '', ['-a 1/.']],
  ['a', 'a', ['@1 unchanged line ./.']],
])('%j becomes %j', (before, after, want) => expect(short(linesOf(before, after))).toEqual(want))

test('texts that have nothing in common end', () => {
  const text = (name: string) => Array.from({ length: 20_000 }, (_, i) => `${name} ${i}`).join('\n')
  const lines = linesOf(text('a'), text('b'))
  expect(lines.filter(({ kind }) => kind === 'removed')).toHaveLength(20_000)
  expect(lines.filter(({ kind }) => kind === 'added')).toHaveLength(20_000)
})

test('a unified patch has the numbers of its parts', () => {
  const patch = 'diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -10,2 +10,2 @@ func\n keep\n-old\n+new\n'
  expect(short(patchLines(patch))).toEqual([
    '@diff --git a/x b/x ./.',
    '@--- a/x ./.',
    '@+++ b/x ./.',
    '@@@ -10,2 +10,2 @@ func ./.',
    ' keep 10/10',
    '-old 11/.',
    '+new ./11',
  ])
})

test('a patch as agents write it', () => {
  expect(short(patchLines('*** Begin Patch\n*** Add File: a\n+one\n*** End Patch'))).toEqual([
    '@*** Begin Patch ./.',
    '@*** Add File: a ./.',
    '+one ./.',
    '@*** End Patch ./.',
  ])
})
