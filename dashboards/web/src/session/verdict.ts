import type { Schemas } from '../api/client'
import { duration } from '../format/duration'
import { count, counted } from '../format/numbers'
import { endOf, withDescendants } from './timeline/span'

type Span = Schemas['Span']

/** What a session's time went to. Silence is when nothing was open, waiting is between runs. */
export type Use = 'model' | 'tools' | 'waiting' | 'silence'

/** A share of the time, and where the longest stretch of it began: a span, or a moment. */
export interface Share {
  use: Use
  ms: number
  longest: { span: string | null; from: number; ms: number }
}

/** How a session that is over went, in a sentence: "Finished in 4 m 12 s, 14 tool calls, 2 failed". */
export function verdictOf(
  session: Pick<Schemas['SessionDetail'], 'status' | 'duration_ms' | 'totals'>,
): string | null {
  const verbs: Partial<Record<Schemas['SessionStatus'], string>> = {
    ok: 'Finished in',
    error: 'Failed after',
    cancelled: 'Cancelled after',
    incomplete: 'Broke off after',
  }
  const verb = verbs[session.status]
  if (verb === undefined || session.totals.runs === 0) return null
  const { calls, errors } = session.totals.tools
  const tools = calls === 0 ? '' : `, ${counted(calls, 'tool call')}`
  return `${verb} ${duration(session.duration_ms)}${tools}${errors === 0 ? '' : `, ${count(errors)} failed`}`
}

/**
 * Where the time of a session went, in the order model, tools, waiting, silence, without what took none of it. Each
 * moment counts once: for the model while a model call is open, otherwise for tools while one is, otherwise as
 * silence within a run and as waiting outside of all.
 */
export function sharesOf(spans: readonly Span[], length: number): Share[] {
  const all = [...withDescendants(spans)]
  const reach = (span: Span) => Math.min(endOf(span) ?? length, length)
  const edges: { at: number; kind: Span['kind']; by: 1 | -1 }[] = []
  const longest = new Map<Use, Share['longest']>()
  const consider = (use: Use, from: number, ms: number, span: string | null) => {
    if (ms > (longest.get(use)?.ms ?? 0)) longest.set(use, { span, from, ms })
  }
  for (const span of all) {
    const [from, to] = [Math.max(span.start_ms, 0), reach(span)]
    if (to <= from) continue
    edges.push({ at: from, kind: span.kind, by: 1 }, { at: to, kind: span.kind, by: -1 })
    if (span.kind === 'llm') consider('model', from, to - from, span.id)
    if (span.kind === 'tool') consider('tools', from, to - from, span.id)
  }
  edges.sort((a, b) => a.at - b.at)
  const sums: Record<Use, number> = { model: 0, tools: 0, waiting: 0, silence: 0 }
  const open = { run: 0, node: 0, llm: 0, tool: 0 }
  let [at, since, current] = [0, 0, null as Use | null]
  const pass = (to: number) => {
    if (to <= at) return
    const use: Use = open.llm > 0 ? 'model' : open.tool > 0 ? 'tools' : open.run > 0 ? 'silence' : 'waiting'
    if (use !== current) [current, since] = [use, at]
    sums[use] += to - at
    if (use === 'silence' || use === 'waiting') consider(use, since, to - since, null)
    at = to
  }
  for (const edge of edges) {
    pass(edge.at)
    open[edge.kind] += edge.by
  }
  pass(length)
  return (['model', 'tools', 'waiting', 'silence'] as const).flatMap((use) => {
    const place = longest.get(use)
    return sums[use] > 0 && place !== undefined ? [{ use, ms: sums[use], longest: place }] : []
  })
}

/** The model call or the tool call that is open and began last; null where none is. */
export function currentOf(spans: readonly Span[]): Span | null {
  let current: Span | null = null
  for (const span of withDescendants(spans)) {
    if ((span.kind !== 'llm' && span.kind !== 'tool') || endOf(span) !== null) continue
    if (current === null || span.start_ms >= current.start_ms) current = span
  }
  return current
}
