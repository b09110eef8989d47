import { type Drawing, type Edge, textOf, type Thought } from './drawing'
import type { ThoughtEvent } from './event'

interface Expansion {
  step: Thought
  candidates: Thought[]
}

/**
 * The tree of a run: what each expansion proposed, what was chosen, where the search went back. The events state no
 * parent of an expansion, so that expansions are only in the order of time.
 */
export function treeOf(key: string, events: readonly ThoughtEvent[]): Drawing | null {
  const steps: Thought[] = []
  const candidates: Thought[] = []
  const edges: Edge[] = []
  let current: Expansion | undefined
  let expansions = 0
  let evaluations = 0
  let odd = 0
  for (const { kind, fields, at } of events) {
    const id = `s${steps.length}`
    if (kind === 'tot_expand') {
      const texts = Array.isArray(fields['candidates']) ? (fields['candidates'] as unknown[]) : []
      const step: Thought = { ...blank, id, title: `Expansion ${++expansions}`, mark: 'step', at }
      const made = texts.map((text, i) => ({
        ...blank,
        id: `${id} ${i}`,
        title: `Candidate ${i + 1}`,
        text: textOf(text),
        at,
      }))
      steps.push(step)
      for (const candidate of made) {
        candidates.push(candidate)
        edges.push({ from: id, to: candidate.id, stated: true })
      }
      current = { step, candidates: made }
    } else if (kind === 'tot_evaluate') {
      evaluations++
      if (current === undefined || !evaluate(current, fields)) odd++
    } else if (kind === 'tot_backtrack') {
      const depth = fields['to_depth']
      const title = typeof depth === 'number' ? `Back to depth ${depth}` : 'Back'
      steps.push({ ...blank, id, title, text: textOf(fields['reason']), mark: 'step', at })
    }
  }
  if (steps.length === 0) return null
  steps.forEach(({ id }, i) => {
    const before = steps[i - 1]
    if (before !== undefined) edges.push({ from: before.id, to: id, stated: false })
  })
  const notes: string[] = []
  if (steps.length > 1)
    notes.push(
      'The source does not state which thought an expansion goes on from. Dashed lines are the order of time.',
    )
  if (evaluations > 0)
    notes.push('An evaluation names no expansion. It is shown with the latest one before it.')
  if (odd > 0)
    notes.push(
      `Scores or choices of ${odd} of ${evaluations} evaluations do not fit the candidates before them and are left out.`,
    )
  return { kind: 'tree', key, thoughts: inOrder(steps, candidates), edges, notes }
}

const blank = { text: '', score: null, mark: null } as const

/** Marks what an evaluation chose and scored. Returns false where a part of it does not fit the candidates. */
function evaluate({ candidates }: Expansion, fields: Readonly<Record<string, unknown>>): boolean {
  const scores = Array.isArray(fields['scores']) ? (fields['scores'] as unknown[]) : []
  const chosen = candidates[typeof fields['chosen'] === 'number' ? fields['chosen'] : -1]
  const fits = scores.length === candidates.length
  candidates.forEach((candidate, i) => {
    const score = scores[i]
    if (fits && typeof score === 'number') candidate.score = score
    if (chosen === undefined) return
    if (candidate === chosen) candidate.mark = 'chosen'
    else candidate.mark ??= 'not chosen'
  })
  return (fits || scores.length === 0) && chosen !== undefined
}

/** Steps and candidates in the order of time, each step before its own: what is bounded is cut at its end. */
function inOrder(steps: readonly Thought[], candidates: readonly Thought[]): Thought[] {
  const all: Thought[] = []
  let next = 0
  for (const step of steps) {
    all.push(step)
    while (candidates[next]?.id.startsWith(`${step.id} `)) {
      const candidate = candidates[next++]
      if (candidate !== undefined) all.push(candidate)
    }
  }
  return all
}
