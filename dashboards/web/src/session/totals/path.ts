import type { Schemas } from '../../api/client'
import { offsetOfTime } from '../player/position'
import { askedAt, endOf } from '../timeline/span'

type Span = Schemas['Span']

/** What a stretch of a run's time went to. A call waits in a queue when it was made and had not begun. */
export type Spending = 'model' | 'tool' | 'queue' | 'unattributed'
export const spendings: readonly Spending[] = ['model', 'tool', 'queue', 'unattributed']

/** A stretch of a run that determined how long it took. Times are ms from the session's start. */
export interface Step {
  use: Spending
  /** What ran, or waited to begin; of time that belongs to no call, what it passed in. */
  span: Span
  from: number
  to: number
}

/**
 * The critical path of a run: from its end back, at each moment the call that ended last before it. The steps follow
 * each other without a gap, so that their times add up to that of the run; what ran beside them could have been
 * quicker and changed nothing. `made` is when a call was made, where that is known.
 */
export function pathOf(run: Span, end: number, made: (span: Span) => number | null): Step[] {
  const steps: Step[] = []
  walk(run, run.start_ms, end, made, steps, 0)
  return merged(steps.reverse())
}

/** Of calls that are nested deeper than this the outermost is one step. */
const deepest = 200

/** Adds the steps of a span between two moments, the last first. */
function walk(span: Span, from: number, to: number, made: Made, steps: Step[], depth: number) {
  const own = span.kind === 'llm' ? 'model' : span.kind === 'tool' ? 'tool' : 'unattributed'
  const left = depth < deepest ? span.children.map((child) => ({ child, end: endOf(child) ?? to })) : []
  let at = to
  while (at > from) {
    let best: { child: Span; end: number } | null = null
    for (const { child, end } of left) {
      if (child.start_ms >= at || end <= from || end <= child.start_ms) continue
      const ends = Math.min(end, at)
      if (best === null || ends > best.end || (ends === best.end && child.start_ms < best.child.start_ms))
        best = { child, end: ends }
    }
    if (best === null) break
    if (best.end < at) steps.push({ use: own, span, from: best.end, to: at })
    const begins = Math.max(best.child.start_ms, from)
    walk(best.child, begins, best.end, made, steps, depth + 1)
    at = begins
    const since = made(best.child)
    if (since === null || since >= at || own !== 'unattributed') continue
    // It waited until what ended last before it let it begin.
    const before = left.reduce(
      (last, { end }) => (end <= at ? Math.max(last, end) : last),
      Math.max(since, from),
    )
    if (before < at) {
      steps.push({ use: 'queue', span: best.child, from: before, to: at })
      at = before
    }
  }
  if (at > from) steps.push({ use: own, span, from, to: at })
}

type Made = (span: Span) => number | null

/** The steps, with consecutive steps of one span joined. */
function merged(steps: readonly Step[]): Step[] {
  const result: Step[] = []
  for (const step of steps) {
    const last = result.at(-1)
    if (last !== undefined && last.span === step.span && last.use === step.use && last.to === step.from)
      last.to = step.to
    else result.push({ ...step })
  }
  return result
}

/** How much of the time of some steps went to what, ms. */
export function splitOf(steps: readonly Step[]): Record<Spending, number> {
  const split = { model: 0, tool: 0, queue: 0, unattributed: 0 }
  for (const { use, from, to } of steps) split[use] += to - from
  return split
}

/** When tool calls were made: when they were to be approved, or the last of their arguments had been written. */
export function madeIn(messages: readonly Schemas['Message'][], started: string): Made {
  const written = new Map<string, number>()
  for (const { kind, span_id, ended } of messages) {
    if (kind !== 'tool_arguments' || ended === null) continue
    const at = offsetOfTime(ended, started)
    written.set(span_id, Math.max(written.get(span_id) ?? -Infinity, at))
  }
  return (span) => {
    if (span.kind !== 'tool') return null
    return askedAt(span, started) ?? written.get(span.id) ?? null
  }
}
