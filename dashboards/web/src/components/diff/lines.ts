import { diffArrays } from 'diff'

/** A line of a difference: kept, added or removed, with its numbers before and after; or a head of a part. */
export interface DiffLine {
  kind: 'same' | 'added' | 'removed' | 'head'
  text: string
  before: number | null
  after: number | null
}

/** How many unchanged lines are shown beside a change. */
const context = 3
/** The most changes that are searched for: above that all is removed and added. */
const mostEdits = 2000

/** What of a text has changed, by lines, with few unchanged lines around each change. */
export function linesOf(before: string, after: string): DiffLine[] {
  const [old, now] = [split(before), split(after)]
  const parts = diffArrays(old, now, { maxEditLength: mostEdits }) as
    { value: string[]; added?: boolean; removed?: boolean }[] | undefined
  const changes = parts ?? [
    { value: old, removed: true },
    { value: now, added: true },
  ]
  const lines: DiffLine[] = []
  let [a, b] = [1, 1]
  for (const { value, added, removed } of changes)
    for (const text of value) {
      if (added === true) lines.push({ kind: 'added', text, before: null, after: b++ })
      else if (removed === true) lines.push({ kind: 'removed', text, before: a++, after: null })
      else lines.push({ kind: 'same', text, before: a++, after: b++ })
    }
  return nearChanges(lines)
}

function split(text: string): string[] {
  if (text === '') return []
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n')
}

function nearChanges(lines: readonly DiffLine[]): DiffLine[] {
  const near = new Uint8Array(lines.length)
  for (const [i, { kind }] of lines.entries())
    if (kind !== 'same') near.fill(1, Math.max(0, i - context), Math.min(lines.length, i + context + 1))
  const shown: DiffLine[] = []
  let skipped = 0
  for (const [i, line] of lines.entries()) {
    if (near[i] !== 1) {
      skipped++
      continue
    }
    if (skipped > 0) shown.push(unchanged(skipped))
    skipped = 0
    shown.push(line)
  }
  if (skipped > 0) shown.push(unchanged(skipped))
  return shown
}

function unchanged(count: number): DiffLine {
  const text = count === 1 ? '1 unchanged line' : `${count} unchanged lines`
  return { kind: 'head', text, before: null, after: null }
}

/** The lines of a patch, unified or as agents write them. */
export function patchLines(patch: string): DiffLine[] {
  const lines: DiffLine[] = []
  let [a, b] = [0, 0]
  let inHunk = false
  for (const line of patch.replace(/\n$/, '').split('\n')) {
    const hunk = /^@@(?: -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@)?/.exec(line)
    if (hunk !== null) {
      ;[a, b] = [Number(hunk[1] ?? 0), Number(hunk[2] ?? 0)]
      inHunk = true
      lines.push({ kind: 'head', text: line, before: null, after: null })
    } else if (
      /^(\*\*\* |diff --git |index [0-9a-f]+\.\.|--- \S|\+\+\+ \S|(new|deleted) file mode )/.test(line)
    ) {
      ;[a, b] = [0, 0]
      inHunk = line.startsWith('*** ')
      lines.push({ kind: 'head', text: line, before: null, after: null })
    } else if (inHunk && line.startsWith('+'))
      lines.push({ kind: 'added', text: line.slice(1), before: null, after: b > 0 ? b++ : null })
    else if (inHunk && line.startsWith('-'))
      lines.push({ kind: 'removed', text: line.slice(1), before: a > 0 ? a++ : null, after: null })
    else
      lines.push({
        kind: 'same',
        text: line.startsWith(' ') ? line.slice(1) : line,
        before: a > 0 ? a++ : null,
        after: b > 0 ? b++ : null,
      })
  }
  return lines
}
