/** What a tool call asks for, as far as it is known how to show it. */
export type Shape =
  | { kind: 'edit'; path: string; edits: readonly Edit[] }
  | { kind: 'write'; path: string; text: string }
  | { kind: 'patch'; text: string }
  | { kind: 'command'; command: string; note: string }
  | { kind: 'read'; path: string; from: number }
  | { kind: 'web'; query: string; url: string }

/** A text of a file and what replaces it. */
export interface Edit {
  before: string
  after: string
}

type Fields = Record<string, unknown>

const paths = ['file_path', 'filePath', 'path', 'file', 'filename', 'notebook_path', 'absolute_path']
const befores = ['old_string', 'oldString', 'old_str', 'old_text', 'oldText']
const afters = ['new_string', 'newString', 'new_str', 'new_text', 'newText']
const commands = ['command', 'cmd', 'script']
const shells = /bash|shell|exec|terminal|command|^sh$|powershell/i
const reads = /^(read|view|cat|open|notebookread|read_?files?|read_text_file|view_file)$/i
const webs = /web|fetch|search|browse|url/i

/** The shape of a call, by its name and its arguments: a value of JSON, or the text itself. Null for others. */
export function shapeOf(name: string, args: unknown): Shape | null {
  if (typeof args === 'string') return isPatch(args) ? { kind: 'patch', text: args } : null
  if (!isFields(args)) return null
  const path = textOf(args, paths)
  const edits = editsOf(args)
  if (edits.length > 0) return { kind: 'edit', path, edits }
  const command = commandOf(args)
  const patch = [textOf(args, ['input', 'patch', 'diff', 'patch_text', 'patchText']), command].find(isPatch)
  if (patch !== undefined)
    return { kind: 'patch', text: patch.slice(Math.max(patch.indexOf('*** Begin'), 0)) }
  if (command !== '' && shells.test(name))
    return { kind: 'command', command, note: textOf(args, ['description']) }
  const text = textOf(args, ['content', 'contents', 'file_text'])
  if (path !== '' && text !== '') return { kind: 'write', path, text }
  if (path !== '' && reads.test(name))
    return { kind: 'read', path, from: numberOf(args, ['offset', 'start_line']) }
  const [query, url] = [textOf(args, ['query', 'q']), textOf(args, ['url', 'uri'])]
  if ((url !== '' || query !== '') && webs.test(name)) return { kind: 'web', query, url }
  return null
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function textOf(fields: Fields, names: readonly string[]): string {
  for (const name of names) {
    const value = fields[name]
    if (typeof value === 'string' && value !== '') return value
  }
  return ''
}

function numberOf(fields: Fields, names: readonly string[]): number {
  for (const name of names) {
    const value = fields[name]
    if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return value
  }
  return 1
}

function editsOf(fields: Fields): Edit[] {
  const list = Array.isArray(fields['edits']) ? fields['edits'].filter(isFields) : [fields]
  return list.slice(0, 200).flatMap((edit) => {
    const [before, after] = [befores.find((name) => name in edit), afters.find((name) => name in edit)]
    if (before === undefined || after === undefined) return []
    const [old, now] = [edit[before], edit[after]]
    return typeof old === 'string' && typeof now === 'string' ? [{ before: old, after: now }] : []
  })
}

/** A command line; of an array that calls a shell, what the shell is to do. */
function commandOf(fields: Fields): string {
  for (const name of commands) {
    const value = fields[name]
    if (typeof value === 'string') return value
    if (!Array.isArray(value)) continue
    const words = value.filter((word): word is string => typeof word === 'string')
    if (/(^|\/)(ba|z|da)?sh$/.test(words[0] ?? '') && /^-\w*c$/.test(words[1] ?? ''))
      return words.slice(2).join(' ')
    return words.map(quoted).join(' ')
  }
  return ''
}

function quoted(word: string): string {
  return /^[\w@%+=:,./*-]+$/.test(word) || word.includes('\n') ? word : `'${word.replaceAll("'", "'\\''")}'`
}

function isPatch(text: string): boolean {
  return /^(\*\*\* Begin Patch|diff --git |--- \S.*\n\+\+\+ |apply_patch\b[\s\S]{0,40}\*\*\* Begin Patch)/.test(
    text,
  )
}

/** The first argument that describes a call, on one line: `make e2e`, a path, a pattern. */
export function headline(name: string, args: unknown): string {
  const shape = shapeOf(name, args)
  switch (shape?.kind) {
    case 'command':
      return brief(shape.command)
    case 'edit':
    case 'write':
    case 'read':
      return brief(shape.path)
    case 'patch':
      return brief(/(?:File: |\+\+\+ (?:b\/)?)(\S+)/.exec(shape.text)?.[1] ?? '')
    case 'web':
      return brief(shape.query === '' ? shape.url : shape.query)
    default:
  }
  if (typeof args === 'string') return brief(args)
  if (!isFields(args)) return ''
  const known = textOf(args, [
    ...commands,
    ...paths,
    'pattern',
    'query',
    'url',
    'description',
    'prompt',
    'name',
  ])
  if (known !== '') return brief(known)
  const first = Object.values(args).find(
    (value) => ['string', 'number'].includes(typeof value) && value !== '',
  )
  return brief(typeof first === 'string' || typeof first === 'number' ? String(first) : commandOf(args))
}

/** The first line of a text, cut short. */
export function brief(text: string): string {
  const line = text.slice(0, 400).trim().split('\n', 1)[0]?.replace(/\s+/g, ' ') ?? ''
  return line.length > 160 ? `${line.slice(0, 160)}…` : line
}
