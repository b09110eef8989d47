/** What a command answered. `exit` is null where no code is known. */
export interface CommandResult {
  output: string
  exit: number | null
}

/** Results of more than this are shown as they are, UTF-16 units. */
const most = 2_000_000

/** Reads the result of a command: its output, apart from the exit code that its agent writes around it. */
export function commandResult(text: string): CommandResult {
  return fromJson(text) ?? fromCodex(text) ?? fromClaude(text) ?? { output: text, exit: null }
}

function fromJson(text: string): CommandResult | null {
  if (!text.startsWith('{') || text.length > most) return null
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return null
  }
  if (typeof value !== 'object' || value === null) return null
  const fields = value as Record<string, unknown>
  const texts = ['output', 'stdout', 'stderr', 'aggregated_output'].map((name) => fields[name])
  const said = texts.filter((part): part is string => typeof part === 'string')
  if (said.length === 0) return null
  const metadata = fields['metadata'] as Record<string, unknown> | null | undefined
  const codes = ['exit_code', 'exitCode', 'returncode', 'return_code'].flatMap((name) => [
    fields[name],
    metadata?.[name],
  ])
  const exit = codes.find((code): code is number => Number.isInteger(code))
  return { output: said.filter((part) => part !== '').join('\n'), exit: exit ?? null }
}

/** `Exit code: 0`, `Wall time: …` and `Output:` on lines of their own, or `Process exited with code 0`. */
function fromCodex(text: string): CommandResult | null {
  const head = text.slice(0, 600)
  const match =
    /^(?:[^\n]*\n){0,4}(?:Exit code: |Process exited with code )(-?\d+)\n(?:[^\n]*\n){0,4}?Output:\n/.exec(
      head,
    )
  return match === null ? null : { output: text.slice(match[0].length), exit: Number(match[1]) }
}

function fromClaude(text: string): CommandResult | null {
  const match = /^(?:Error: )?Exit code (-?\d+)(?:\n|$)/.exec(text.slice(0, 100))
  return match === null ? null : { output: text.slice(match[0].length), exit: Number(match[1]) }
}

/** A file as a tool read it: its text without the numbers before its lines, and the first number. */
export interface FileText {
  text: string
  first: number
  /** What follows the numbered lines. */
  note: string
}

const numbered = /^ {0,8}(\d{1,9})(?:→|\t|: |\| )/

/** Reads a file that was answered with numbers before its lines; a text without them is the file. */
export function fileText(text: string, first: number): FileText {
  if (text.length > most) return { text, first, note: '' }
  const lines = text.split('\n')
  const from = numbered.exec(lines[0] ?? '')
  if (from === null) return { text, first, note: '' }
  const start = Number(from[1])
  const own: string[] = []
  for (const line of lines) {
    const match = numbered.exec(line)
    if (match === null || Number(match[1]) !== start + own.length) break
    own.push(line.slice(match[0].length))
  }
  return { text: own.join('\n'), first: start, note: lines.slice(own.length).join('\n').trim() }
}

/** A page that a search found. */
export interface Found {
  title: string
  url: string
}

/** The pages in the result of a search, at most fifty: objects of JSON with a title and an address. */
export function foundIn(text: string): Found[] {
  const found = new Map<string, Found>()
  const pair =
    /\{[^{}]{0,2000}?"(title|url)"\s*:\s*("(?:[^"\\]|\\.){1,1000}")[^{}]{0,2000}?"(title|url)"\s*:\s*("(?:[^"\\]|\\.){1,1000}")/g
  for (const [, name, one = '', other, two = ''] of text.slice(0, 200_000).matchAll(pair)) {
    if (name === other) continue
    const [title, url] = name === 'title' ? [one, two] : [two, one]
    try {
      const page = { title: JSON.parse(title) as string, url: JSON.parse(url) as string }
      if (/^https?:\/\//.test(page.url)) found.set(page.url, page)
    } catch {
      continue
    }
    if (found.size === 50) break
  }
  return [...found.values()]
}
