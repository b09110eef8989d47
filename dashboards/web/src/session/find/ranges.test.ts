// @vitest-environment jsdom
import { expect, test } from 'vitest'
import { finderOf } from './hits'
import { rangesIn } from './ranges'

/** What is found in markup, as text. */
function found(markup: string, query: string, most = 1000): string[] {
  const root = document.createElement('div')
  root.innerHTML = markup
  const finder = finderOf(query)
  return finder === null ? [] : rangesIn(root, finder, most).map(String)
}

test('finds words over marks inside of a line, and not from one line into another', () => {
  expect(found('<p>the <b>big</b> dog, the big dog</p>', 'the big dog')).toEqual([
    'the big dog',
    'the big dog',
  ])
  expect(found('<pre><span>let</span> <span>x</span>=1</pre>', 'let x=1')).toEqual(['let x=1'])
  expect(found('<p>one</p><p>two</p>', 'onetwo')).toEqual([])
})

test('looks at some of a very long text', () => {
  expect(found(`<p>${'a'.repeat(50)}</p><p>${'a'.repeat(50)}</p><p>end</p>`, 'end', 60)).toEqual([])
})
