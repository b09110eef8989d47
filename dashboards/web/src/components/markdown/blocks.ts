/** A paragraph, a heading or a fenced piece of code of a text in Markdown. */
export type Block =
  | { kind: 'text'; text: string }
  | { kind: 'heading'; level: number; text: string }
  | { kind: 'code'; language: string; text: string }

/** A run of characters of a paragraph. */
export interface Inline {
  kind: 'plain' | 'code' | 'strong'
  text: string
}

const opening = /^ {0,3}(`{3,}|~{3,})\s*([^\s`]*)[^`]*$/
const heading = /^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$/

/**
 * Takes a text apart where Markdown marks code, headings and paragraphs; all else stays as it was
 * written. A fence that is not closed reaches to the end, as it does while the text is growing.
 */
export function blocksOf(text: string): Block[] {
  const blocks: Block[] = []
  let paragraph: string[] = []
  let code: { fence: string; language: string; lines: string[] } | null = null
  const flush = () => {
    if (paragraph.length > 0) blocks.push({ kind: 'text', text: paragraph.join('\n') })
    paragraph = []
  }
  for (const line of text.split('\n')) {
    if (code !== null) {
      if (closes(line, code.fence)) {
        blocks.push({ kind: 'code', language: code.language, text: code.lines.join('\n') })
        code = null
      } else code.lines.push(line)
      continue
    }
    const fence = opening.exec(line)
    const head = heading.exec(line)
    if (fence !== null) {
      flush()
      code = { fence: fence[1] ?? '```', language: fence[2] ?? '', lines: [] }
    } else if (head !== null) {
      flush()
      blocks.push({ kind: 'heading', level: (head[1] ?? '#').length, text: head[2] ?? '' })
    } else if (line.trim() === '') flush()
    else paragraph.push(line)
  }
  if (code !== null) blocks.push({ kind: 'code', language: code.language, text: code.lines.join('\n') })
  flush()
  return blocks
}

function closes(line: string, fence: string): boolean {
  const mark = line.trim()
  return mark.length >= fence.length && mark === (fence[0] ?? '`').repeat(mark.length)
}

const marks = /(`+)([^`\n]|[^`\n][\s\S]*?[^`\n])\1(?!`)|\*\*(\S(?:[^\n]*?\S)?)\*\*/g

/** The code and the strong words of a paragraph. */
export function inlinesOf(text: string): Inline[] {
  const inlines: Inline[] = []
  let end = 0
  for (const match of text.matchAll(marks)) {
    if (match.index > end) inlines.push({ kind: 'plain', text: text.slice(end, match.index) })
    const [whole, , code, strong] = match
    inlines.push(code === undefined ? { kind: 'strong', text: strong ?? '' } : { kind: 'code', text: code })
    end = match.index + whole.length
  }
  if (end < text.length) inlines.push({ kind: 'plain', text: text.slice(end) })
  return inlines
}
