// @vitest-environment jsdom
import { MantineProvider } from '@mantine/core'
import { render, screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import MarkdownPiece from './markdown'
import { RevealContext } from '../reveal'
import { Prose } from './prose'

function shown(text: string): HTMLElement {
  const { container } = render(
    <MantineProvider env="test">
      <MarkdownPiece text={text} />
    </MantineProvider>,
  )
  return container.lastElementChild as HTMLElement // after Mantine's own styles
}

test('lists, tables, quotes, links and code are drawn', () => {
  const box = shown(
    [
      '# Title',
      '1. one\n2. two\n   - [x] done\n   - [ ] open',
      '> quoted *so* ~~not~~',
      '| a | b |\n|:--|--:|\n| 1 | 2 |',
      'See [the page](https://a.example/p "t") or https://b.example/.',
      '```go\nfunc main() {}\n```',
    ].join('\n\n'),
  )
  expect(box.querySelectorAll('ol > li')).toHaveLength(2)
  expect(screen.getByRole('img', { name: 'Done' }).textContent).toBe('☑')
  expect(box.querySelector('blockquote em')?.textContent).toBe('so')
  expect(box.querySelector('blockquote del')?.textContent).toBe('not')
  expect([...box.querySelectorAll('td')].map((cell) => cell.textContent)).toEqual(['1', '2'])
  const links = [...box.querySelectorAll('a')]
  expect(links.map((link) => link.href)).toEqual(['https://a.example/p', 'https://b.example/'])
  for (const link of links)
    expect(link.rel.split(' ')).toEqual(expect.arrayContaining(['noopener', 'noreferrer']))
  expect(screen.getByRole('group', { name: 'Code, go' }).textContent).toBe('func main() {}')
  expect(screen.getByRole('button', { name: 'Copy the code' })).toBeTruthy()
})

test('a language is highlighted once its code is loaded', async () => {
  const box = shown('```go\nfunc main() {}\n```')
  await expect.poll(() => box.querySelector('.hljs-keyword')?.textContent).toBe('func')
})

test.each([
  '<img src=x onerror="alert(1)">',
  '<script>alert(1)</script>',
  '<svg onload="alert(1)"><script>alert(1)</script></svg>',
  '[a](javascript:alert(1))',
  '[a](java&#115;cript:alert(1))',
  '<javascript:alert(1)>',
  '[a]: javascript:alert(1)\n\n[a]',
  '[a](data:text/html;base64,PHNjcmlwdD4=)',
  '![a](https://elsewhere.example/a.png)',
  '![a](//elsewhere.example/a.png)',
  '![a](data:image/svg+xml;base64,PHN2Zz4=)',
  '<iframe src="https://elsewhere.example"></iframe>',
  '<a href="https://a.example" onclick="alert(1)">x</a>',
  '<style>*{display:none}</style>',
])('%s has no effect', (text) => {
  const box = shown(text)
  expect(box.querySelector('img, script, svg, iframe, style, object, form')).toBeNull()
  for (const element of box.querySelectorAll('*'))
    for (const { name, value } of element.attributes) {
      expect(name).not.toMatch(/^on/)
      if (name === 'href') expect(value).toMatch(/^https:/)
    }
})

test('an image that is written out is drawn', () => {
  const blobs: Blob[] = []
  // jsdom has no addresses of blobs.
  Object.assign(URL, {
    createObjectURL: (blob: Blob) => `blob:${blobs.push(blob)}`,
    revokeObjectURL: vi.fn(),
  })
  const box = shown('![a chart](data:image/png;base64,iVBORw0KGgo=)')
  expect(box.querySelector('img')?.getAttribute('src')).toBe('blob:1')
  expect(blobs.map(({ type, size }) => [type, size])).toEqual([['image/png', 8]])
})

const hostile: [string, string][] = [
  ['quotes within quotes', '>'.repeat(10_000) + ' deep'],
  ['quotes on many lines', '> > > > > > > > > > > > > > > > > > > > > x\n'.repeat(2000)],
  ['one line of a MiB', 'word '.repeat(210_000)],
  ['brackets', '[a]('.repeat(5000)],
  ['emphasis', '*a **b '.repeat(3000)],
  ['lists within lists', Array.from({ length: 500 }, (_, i) => `${'  '.repeat(i)}- x`).join('\n')],
  ['a table of many cells', `${'| a '.repeat(500)}|\n${'|---'.repeat(500)}|\n${'| b '.repeat(500)}|`],
]

test.each(hostile)('%s are bounded', async (_, text) => {
  const { container } = render(
    <MantineProvider env="test">
      <Prose text={text} />
    </MantineProvider>,
  )
  await new Promise((done) => setTimeout(done))
  expect(container.querySelectorAll('*').length).toBeLessThan(5000)
  let deepest = 0
  for (const element of container.querySelectorAll('p, li, td, pre')) {
    let depth = 0
    for (let at: Element | null = element; at !== null; at = at.parentElement) depth++
    deepest = Math.max(deepest, depth)
  }
  expect(deepest).toBeLessThan(120)
})

test('a growing text shows its finished lines as Markdown and the last one plain', async () => {
  const { container } = render(
    <MantineProvider env="test">
      <Prose text={'First.\n\n- one\n- two\n- thr'} growing />
    </MantineProvider>,
  )
  await expect.poll(() => container.querySelectorAll('li').length).toBe(2)
  expect(container.textContent).toContain('- thr')
})

test('a short text in which something was found has nothing to fold', () => {
  render(
    <MantineProvider env="test">
      <RevealContext value="short">
        <Prose text="A short text." />
      </RevealContext>
    </MantineProvider>,
  )
  expect(screen.queryByRole('button')).toBeNull()
})
