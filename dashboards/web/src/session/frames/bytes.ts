/** The bytes of their base64. */
export function bytesOf(base64: string): Uint8Array {
  const text = atob(base64)
  return Uint8Array.from(text, (character) => character.charCodeAt(0))
}

/** Sixteen bytes as a line of a hex view. */
export interface HexLine {
  offset: string
  hex: string
  text: string
}

/** Bytes as lines of sixteen, the first so many bytes of them. */
export function hexLines(bytes: Uint8Array, most: number): HexLine[] {
  const lines: HexLine[] = []
  for (let at = 0; at < Math.min(bytes.length, most); at += 16) {
    const part = bytes.subarray(at, Math.min(at + 16, most))
    lines.push({
      offset: at.toString(16).padStart(6, '0'),
      hex: Array.from(part, (byte) => byte.toString(16).padStart(2, '0')).join(' '),
      text: Array.from(part, (byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '·')).join(
        '',
      ),
    })
  }
  return lines
}

/** A piece of a text: as it is, or a sign for what cannot be seen. */
export interface Sign {
  text: string
  sign: boolean
}

/** What is not seen, or is seen as something else. */
// eslint-disable-next-line no-control-regex -- these are what it looks for
const unseen = /\r\n|[\u0000-\u001f\u007f-\u00a0\u00ad\u200b-\u200f\u2028-\u202f\u2060-\u2064\ufeff\ufffd]/g

/** A text with signs for what cannot be seen in it; a line still ends where it ends. */
export function withSigns(text: string): Sign[] {
  const signs: Sign[] = []
  let end = 0
  for (const match of text.matchAll(unseen)) {
    if (match.index > end) signs.push({ text: text.slice(end, match.index), sign: false })
    signs.push({ text: signOf(match[0]), sign: true })
    end = match.index + match[0].length
  }
  if (end < text.length) signs.push({ text: text.slice(end), sign: false })
  return signs
}

function signOf(unseen: string): string {
  if (unseen === '\r\n') return '␍␊\n'
  if (unseen === '\n') return '␊\n'
  const code = unseen.charCodeAt(0)
  if (code < 0x20) return String.fromCharCode(0x2400 + code)
  if (code === 0x7f) return '␡'
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
}
