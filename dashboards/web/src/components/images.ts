/** What browsers draw and what cannot hold a script. */
const drawn = /^image\/(png|jpeg|gif|webp)$/
const base64 = /^[A-Za-z0-9+/_\s-]+={0,2}\s*$/

/** The address of an image that is written out in a text as a data URL; null for any other text. */
export function imageOf(text: string): string | null {
  if (!text.startsWith('data:')) return null
  const comma = text.indexOf(',', 5)
  const [media = '', encoding] = text.slice(5, comma).split(';')
  return comma > 0 && encoding === 'base64' ? dataUrl(media, text.slice(comma + 1)) : null
}

/**
 * The address of an image that is an object of JSON, as tools and models return it: base64 beside its media
 * type, under the names that APIs have for the two. Null for any other value.
 */
export function imageIn(value: unknown): string | null {
  if (typeof value !== 'object' || value === null) return null
  const fields = value as Record<string, unknown>
  const media = fields['media_type'] ?? fields['mimeType'] ?? fields['mime_type'] ?? fields['mediaType']
  const data = fields['data'] ?? fields['base64']
  return typeof media === 'string' && typeof data === 'string'
    ? (imageOf(data) ?? dataUrl(media, data))
    : null
}

/** The address of an image by its media type and its base64. */
export function dataUrl(media: string, data: string): string | null {
  // Some characters of a long one are enough.
  return drawn.test(media) && base64.test(data.slice(0, 400)) ? `data:${media};base64,${data}` : null
}
