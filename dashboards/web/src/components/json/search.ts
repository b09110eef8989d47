import { keyBelow, type Step } from './path'

/** A name or a value in a tree that holds what is searched for. */
export interface Match {
  path: readonly Step[]
  key: string
}

/** What of a tree holds what is searched for. */
export interface Found {
  matches: readonly Match[]
  /** The keys of matches and of all that they are in. */
  open: ReadonlySet<string>
  /** There is more than was looked at, or more matches than are kept. */
  more: boolean
}

/** How much of a tree is searched, and how many matches are kept. */
const mostVisited = 200_000
export const mostMatches = 500

const nothing: Found = { matches: [], open: new Set(), more: false }

/** Where a tree holds a text, in its names or its values, whatever the case, in the order in which it is drawn. */
export function searched(value: unknown, query: string): Found {
  const wanted = query.trim().toLowerCase()
  if (wanted === '') return nothing
  const matches: Match[] = []
  const open = new Set<string>()
  let visited = 0
  // Iterative: what was recorded may be nested deeper than calls can be.
  const rest: Node[] = [{ value, step: null, above: null, key: '' }]
  for (let node = rest.pop(); node !== undefined; node = rest.pop()) {
    if (++visited > mostVisited || matches.length >= mostMatches) return { matches, open, more: true }
    if (holds(node, wanted)) {
      matches.push({ path: pathOf(node), key: node.key })
      for (let at: Node | null = node; at !== null && !open.has(at.key); at = at.above) open.add(at.key)
    }
    const members = membersOf(node.value)
    for (let i = members.length - 1; i >= 0; i--) {
      const [step, member] = members[i] ?? ['', null]
      rest.push({ value: member, step, above: node, key: keyBelow(node.key, step) })
    }
  }
  return { matches, open, more: false }
}

interface Node {
  value: unknown
  step: Step | null
  above: Node | null
  key: string
}

function holds({ value, step }: Node, wanted: string): boolean {
  if (typeof step === 'string' && step.toLowerCase().includes(wanted)) return true
  if (typeof value === 'string') return value.toLowerCase().includes(wanted)
  return (value === null || typeof value !== 'object') && String(value).includes(wanted)
}

function pathOf(node: Node): Step[] {
  const path: Step[] = []
  for (let at: Node | null = node; at !== null; at = at.above) if (at.step !== null) path.push(at.step)
  return path.reverse()
}

/** The members of a list or an object; none of any other value. */
export function membersOf(value: unknown): [Step, unknown][] {
  if (Array.isArray(value)) return value.slice(0, mostVisited).map((member, i) => [i, member])
  return typeof value === 'object' && value !== null ? Object.entries(value) : []
}

/** A text in pieces, every second of which is the searched text: "", "ab", "c" of "abc" for "ab". */
export function marked(text: string, query: string): string[] {
  const wanted = query.trim()
  if (wanted === '') return [text]
  const escaped = wanted.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
  return text.split(new RegExp(`(${escaped})`, 'giu'))
}
