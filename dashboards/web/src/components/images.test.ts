import { expect, test } from 'vitest'
import { imageBy, imageIn, imageOf, imageOfPart } from './images'

const data = 'iVBORw0KGgo='
const png = { media: 'image/png', data }
const url = `data:image/png;base64,${data}`

test.each([
  [url, png],
  [`data:image/svg+xml;base64,${data}`, null],
  ['data:image/png,plain', null],
  ['data:text/html;base64,PGI+', null],
  ['https://example.com/a.png', null],
  ['javascript:alert(1)', null],
  ['data:', null],
])('the text %s is the image %j', (text, want) => expect(imageOf(text)).toEqual(want))

test.each([
  [{ type: 'base64', media_type: 'image/png', data }, png],
  [{ type: 'image', mimeType: 'image/png', data }, png],
  [{ mimeType: 'image/png', data: url }, png],
  [{ mimeType: 'image/png', data: 'not base64!' }, null],
  [{ mimeType: 'text/html', data }, null],
  [{ data }, null],
  [null, null],
  ['x', null],
])('the value %j is the image %j', (value, want) => expect(imageIn(value)).toEqual(want))

test('an image by its type', () => expect(imageBy('image/webp', data)).toEqual({ media: 'image/webp', data }))

test.each([
  [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data } }, png],
  [{ type: 'image_url', image_url: { url } }, png],
  [{ type: 'input_image', image_url: url }, png],
  [{ inlineData: { mimeType: 'image/png', data } }, png],
  [{ image: { format: 'png', source: { bytes: data } } }, png],
  [{ type: 'image', mimeType: 'image/png', data }, png],
  [{ image: { format: 'svg+xml', source: { bytes: data } } }, null],
  [{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }, null],
  [{ type: 'text', text: url }, null],
])('the element %j has the image %j', (part, want) => expect(imageOfPart(part)).toEqual(want))
