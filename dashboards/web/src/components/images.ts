/** An image that is written out in a recording: its media type and its bytes in base64. */
export interface Image {
  media: string
  data: string
}

/** What browsers draw and what cannot hold a script. */
const drawn = /^image\/(png|jpeg|gif|webp)$/
const base64 = /^[A-Za-z0-9+/_\s-]+={0,2}\s*$/

/** The image that is written out in a text as a data URL; null for any other text. */
export function imageOf(text: string): Image | null {
  if (!text.startsWith('data:')) return null
  const comma = text.indexOf(',', 5)
  const [media = '', encoding] = text.slice(5, comma).split(';')
  return comma > 0 && encoding === 'base64' ? imageBy(media, text.slice(comma + 1)) : null
}

/**
 * The image that is an object of JSON, as tools and models return it: base64 beside its media
 * type, under the names that APIs have for the two. Null for any other value.
 */
export function imageIn(value: unknown): Image | null {
  if (!isFields(value)) return null
  const media = value['media_type'] ?? value['mimeType'] ?? value['mime_type'] ?? value['mediaType']
  const data = value['data'] ?? value['base64']
  return typeof media === 'string' && typeof data === 'string'
    ? (imageOf(data) ?? imageBy(media, data))
    : null
}

/** An image by its media type and its base64; null if it is not one that is drawn. */
export function imageBy(media: string, data: string): Image | null {
  // Some characters of a long one are enough.
  return drawn.test(media) && base64.test(data.slice(0, 400)) ? { media, data } : null
}

/**
 * The image of an element of a message's content, in the forms of the APIs: the element itself (MCP, Pi), its
 * `source` (Anthropic), its `image_url` (OpenAI), its `inlineData` (Gemini), its `image` (Bedrock).
 */
export function imageOfPart(part: unknown): Image | null {
  if (!isFields(part)) return null
  const own = imageIn(part)
  if (own !== null) return own
  for (const name of ['source', 'image_url', 'inlineData', 'inline_data', 'image', 'blob', 'file']) {
    const inner = part[name]
    if (typeof inner === 'string') {
      const image = imageOf(inner)
      if (image !== null) return image
    } else if (isFields(inner)) {
      const url = inner['url']
      const image = imageIn(inner) ?? (typeof url === 'string' ? imageOf(url) : null) ?? imageOfBedrock(inner)
      if (image !== null) return image
    }
  }
  return null
}

function imageOfBedrock({ format, source }: Record<string, unknown>): Image | null {
  const bytes = isFields(source) ? source['bytes'] : undefined
  return typeof format === 'string' && typeof bytes === 'string' ? imageBy(`image/${format}`, bytes) : null
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
