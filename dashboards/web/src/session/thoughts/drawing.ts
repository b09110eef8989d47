/** One thing of a drawing: a thought, or a step of the search that made thoughts. */
export interface Thought {
  /** Of this drawing alone. */
  id: string
  title: string
  text: string
  /** Null where none is stated. */
  score: number | null
  mark: Mark | null
  /** The moment it leads to, ms from the session's start. */
  at: number
}

export type Mark = 'step' | 'chosen' | 'not chosen' | 'planned' | 'started' | 'complete' | 'failed'

/** A line of a drawing. One that the source does not state is the order of time. */
export interface Edge {
  from: string
  to: string
  stated: boolean
}

/** The thoughts of one run, with what its source does not state. */
export interface Drawing {
  kind: 'tree' | 'graph'
  key: string
  thoughts: Thought[]
  edges: Edge[]
  notes: string[]
}

/** How many thoughts, and how many lines between them, are drawn of one session. */
export const mostThoughts = 500
export const mostEdges = 2000
/** How much of a text is kept, and of a name, characters. */
const mostText = 4000
const mostTitle = 120

export function textOf(value: unknown): string {
  if (typeof value !== 'string') return ''
  return value.length > mostText ? `${value.slice(0, mostText)}…` : value
}

export function titleOf(id: string): string {
  return id.length > mostTitle ? `${id.slice(0, mostTitle)}…` : id
}

/** Keeps the first thoughts of all drawings, and records for each how many were left out. */
export function bounded(drawings: readonly Drawing[]): Drawing[] {
  let room = mostThoughts
  let lines = mostEdges
  const kept: Drawing[] = []
  for (const drawing of drawings) {
    const { length } = drawing.thoughts
    const thoughts = drawing.thoughts.slice(0, room)
    room -= thoughts.length
    const ids = new Set(thoughts.map(({ id }) => id))
    const among = drawing.edges.filter(({ from, to }) => ids.has(from) && ids.has(to))
    const edges = among.slice(0, lines)
    lines -= edges.length
    const notes = [...drawing.notes]
    if (thoughts.length < length) notes.push(`Drawn are ${thoughts.length} of ${length}.`)
    if (edges.length < among.length) notes.push(`Drawn are ${edges.length} of ${among.length} lines.`)
    kept.push({ ...drawing, thoughts, edges, notes })
  }
  return kept
}
