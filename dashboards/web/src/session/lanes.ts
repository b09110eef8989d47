import type { Schemas } from '../api/client'

type Span = Schemas['Span']

/** How many colours lanes have; further lanes use them again. */
const colours = 4

/** A sub-agent: the tool call that began it, and what is below that. */
export interface Lane {
  colour: number
  call: Span
  /** The sub-agent's name and its task: "Explore: look at the schema". */
  title: string
}

/** The lanes of all spans that a sub-agent's call holds, and of the call itself; of nested ones the innermost. */
export function lanesOf(
  spans: readonly Span[],
  abouts: ReadonlyMap<string, string>,
): ReadonlyMap<string, Lane> {
  const lanes = new Map<string, Lane>()
  let count = 0
  const rest: { span: Span; lane: Lane | null }[] = [...spans].reverse().map((span) => ({ span, lane: null }))
  for (let one = rest.pop(); one !== undefined; one = rest.pop()) {
    const { span } = one
    let { lane } = one
    if (span.kind === 'tool' && span.children.length > 0) {
      const agent = span.children.find(({ kind }) => kind === 'node' || kind === 'run')
      const parts = [agent?.name || agent?.agent || span.name, abouts.get(span.id) ?? '']
      lane = { colour: count++ % colours, call: span, title: parts.filter((part) => part !== '').join(': ') }
    }
    if (lane !== null) lanes.set(span.id, lane)
    for (let i = span.children.length - 1; i >= 0; i--) {
      const child = span.children[i]
      if (child !== undefined) rest.push({ span: child, lane })
    }
  }
  return lanes
}
