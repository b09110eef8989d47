import { expect, test } from 'vitest'
import { bytesOf, hexLines, withSigns } from './bytes'

test('bytes of base64, all of them', () => {
  const all = Uint8Array.from({ length: 256 }, (_, i) => i)
  expect(bytesOf(btoa(String.fromCharCode(...all)))).toEqual(all)
  expect(bytesOf('')).toEqual(new Uint8Array())
})

test('lines of a hex view', () => {
  const bytes = new TextEncoder().encode('data: {"é":1}\n\nxyz')
  expect(hexLines(bytes, 100)).toEqual([
    { offset: '000000', hex: '64 61 74 61 3a 20 7b 22 c3 a9 22 3a 31 7d 0a 0a', text: 'data: {"··":1}··' },
    { offset: '000010', hex: '78 79 7a', text: 'xyz' },
  ])
  expect(hexLines(bytes, 17)).toHaveLength(2)
  expect(hexLines(bytes, 16)).toHaveLength(1)
  expect(hexLines(bytes, 17)[1]?.hex).toBe('78')
})

test.each([
  ['plain', 'plain'],
  ['a\r\nb\n', 'a[␍␊\n]b[␊\n]'],
  ['\u0000\t\u001b\u007f', '[␀][␉][␛][␡]'],
  ['x\u00a0y\u200b\ufeff', 'x[U+00A0]y[U+200B][U+FEFF]'],
  ['', ''],
])('the signs of %j', (text, want) =>
  expect(
    withSigns(text)
      .map(({ text, sign }) => (sign ? `[${text}]` : text))
      .join(''),
  ).toBe(want),
)
