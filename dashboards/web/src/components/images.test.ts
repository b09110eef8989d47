import { expect, test } from 'vitest'
import { dataUrl, imageIn, imageOf } from './images'

const png = 'iVBORw0KGgo='
const url = `data:image/png;base64,${png}`

test.each([
  [url, url],
  [`data:image/svg+xml;base64,${png}`, null],
  ['data:image/png,plain', null],
  ['data:text/html;base64,PGI+', null],
  ['https://example.com/a.png', null],
  ['javascript:alert(1)', null],
  ['data:', null],
])('the text %s is the image %s', (text, want) => expect(imageOf(text)).toBe(want))

test.each([
  [{ type: 'base64', media_type: 'image/png', data: png }, url],
  [{ type: 'image', mimeType: 'image/png', data: png }, url],
  [{ mimeType: 'image/png', data: url }, url],
  [{ mimeType: 'image/png', data: 'not base64!' }, null],
  [{ mimeType: 'text/html', data: png }, null],
  [{ data: png }, null],
  [null, null],
  ['x', null],
])('the value %j is the image %s', (value, want) => expect(imageIn(value)).toBe(want))

test('a picture by its type', () => expect(dataUrl('image/webp', png)).toBe(`data:image/webp;base64,${png}`))
