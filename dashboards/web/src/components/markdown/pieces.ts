/** Texts of more than this are not read as Markdown, UTF-16 units. */
const longest = 20_000
/** The most marks of emphasis and of links in one piece: finding their pairs takes time that grows with the square. */
const mostMarks = 600

const fence = /^ {0,3}(`{3,}|~{3,})/
/** Lines that may continue the block before an empty line: parts of lists, of quotes, and what is indented. */
const goesOn = /^(?:\s|[-*+>|]|\d{1,9}[.)])/

/**
 * Cuts a text in Markdown at empty lines where a new block begins, so that each piece is rendered for itself and only
 * the last one of a growing text anew. End to end the pieces are the text.
 */
export function piecesOf(text: string): string[] {
  const pieces: string[] = []
  let from = 0
  let open = ''
  let blank = false
  for (let at = 0; at < text.length;) {
    const next = text.indexOf('\n', at)
    const end = next < 0 ? text.length : next
    const line = text.slice(at, Math.min(end, at + 200))
    const empty = line.trim() === ''
    if (open !== '') {
      if (closes(line, open)) open = ''
    } else {
      if (blank && !empty && at > from && !goesOn.test(line)) {
        pieces.push(text.slice(from, at))
        from = at
      }
      open = fence.exec(line)?.[1] ?? ''
    }
    blank = open === '' && empty
    at = end + 1
  }
  if (from < text.length) pieces.push(text.slice(from))
  return pieces
}

/** Whether a piece ends inside of a fence, as it does while its code is being written. */
export function inFence(piece: string): boolean {
  let open = ''
  for (const line of piece.split('\n'))
    if (open === '') open = fence.exec(line)?.[1] ?? ''
    else if (closes(line, open)) open = ''
  return open !== ''
}

function closes(line: string, open: string): boolean {
  const mark = line.trim()
  return mark.length >= open.length && mark === (open[0] ?? '`').repeat(mark.length)
}

/** Quotes and lists within one another on one line, too many to be meant. */
const nested = /^[ \t]*(?:>[ \t]*|[-*+][ \t]+|\d{1,9}[.)][ \t]+){20}/m
/** A list that is indented as far as a list nested in that many others. */
const indented = /^[ \t]{60,}(?:[-*+]|\d{1,9}[.)])[ \t]/m

/** Whether a piece takes a bounded time to be read as Markdown, and a bounded depth to be drawn. */
export function isTame(piece: string): boolean {
  if (piece.length > longest || nested.test(piece) || indented.test(piece)) return false
  let marks = 0
  for (let i = 0; i < piece.length; i++) {
    const code = piece.charCodeAt(i)
    // * _ ~ [ <
    if (code === 42 || code === 95 || code === 126 || code === 91 || code === 60) marks++
  }
  return marks <= mostMarks
}

const definition = /^ {0,3}\[[^\]\n]{1,200}\]:[ \t]*\S.{0,500}$/gm

/** The definitions of links in a text, which its pieces refer to; at most a hundred, of 10,000 units in all. */
export function definitionsOf(text: string): string {
  if (!text.includes(']:')) return ''
  const found: string[] = []
  let length = 0
  for (const [line] of text.slice(0, 200_000).matchAll(definition)) {
    length += line.length
    if (found.length === 100 || length > 10_000) break
    found.push(line)
  }
  return found.join('\n')
}

/** The address of a link, if it leads to a page or to mail; null for any other. */
export function safeAddress(address: string): string | null {
  const trimmed = address.trim()
  return /^(?:https?:\/\/|mailto:)[^\s\\]+$/i.test(trimmed) && trimmed.length <= 4000 ? trimmed : null
}
