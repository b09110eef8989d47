import type { Schemas } from '../../api/client'
import { offsetOfTime } from '../player/position'
import { endOf, withDescendants } from '../timeline/span'
import { costsOf, together, type Costs } from './costs'

type Span = Schemas['Span']
type Tokens = Schemas['Tokens']

/** The buckets of tokens, in the order in which they are shown. */
export const buckets = [
  { key: 'input', name: 'Input', about: 'Neither read from a cache nor written to one.' },
  { key: 'cache_read', name: 'Cache read', about: 'Input that was read from a cache.' },
  { key: 'cache_write_5m', name: 'Cache write 5 m', about: 'Input written to a cache for five minutes.' },
  { key: 'cache_write_1h', name: 'Cache write 1 h', about: 'Input written to a cache for an hour.' },
  { key: 'output', name: 'Output', about: 'What the model wrote, without reasoning.' },
  { key: 'reasoning', name: 'Reasoning', about: 'What the model thought.' },
] as const satisfies readonly { key: keyof Tokens; name: string; about: string }[]

/** A model call, or a usage record that belongs to none. */
export interface ModelCall {
  id: string
  name: string
  model: string | null
  /** ms from the session's start. */
  at: number
  took: number | null
  firstToken: number | null
  tokens: Tokens | null
  costs: Costs
  /** The source states a total that is not the sum of the buckets. */
  discrepancy: boolean
  /** It is of a span, and a recorded stream states the same call: sums have that one. */
  duplicate: boolean
}

/** The model calls of a session in order, and the usage that belongs to no call. */
export function callsOf(timeline: Schemas['Timeline']): ModelCall[] {
  const calls: ModelCall[] = []
  const alone = (usage: Schemas['UsageRecord'], name: string) =>
    calls.push({
      id: usage.id,
      name,
      model: usage.model,
      at: offsetOfTime(usage.at, timeline.started),
      took: null,
      firstToken: null,
      tokens: usage.tokens,
      costs: costsOf([usage]),
      discrepancy: usage.discrepancy,
      duplicate: usage.duplicate,
    })
  for (const span of withDescendants(timeline.spans)) {
    if (span.kind === 'llm')
      calls.push({
        id: span.id,
        name: span.name,
        model: span.model,
        at: span.start_ms,
        took: span.duration_ms,
        firstToken: span.first_token_ms,
        tokens: span.tokens,
        costs: costsOf(span.usage),
        discrepancy: span.usage.some(({ discrepancy }) => discrepancy),
        duplicate: span.usage.length > 0 && span.usage.every(({ duplicate }) => duplicate),
      })
    else for (const usage of span.usage) alone(usage, `${span.kind} ${span.name}`.trim())
  }
  for (const usage of timeline.usage) alone(usage, usage.scope)
  return calls.sort((a, b) => a.at - b.at)
}

/** What was used of one model. */
export interface ModelTotal {
  model: string | null
  calls: number
  /** null if no call reported its usage. */
  tokens: Tokens | null
  costs: Costs
}

/** The calls that sums count. */
export const countedOf = (calls: readonly ModelCall[]) => calls.filter(({ duplicate }) => !duplicate)

/** The calls by model, most tokens first. Calls without usage count as calls. */
export function byModel(calls: readonly ModelCall[]): ModelTotal[] {
  const models = new Map<string | null, ModelCall[]>()
  for (const call of calls) {
    const others = models.get(call.model)
    if (others === undefined) models.set(call.model, [call])
    else others.push(call)
  }
  return [...models]
    .map(([model, its]) => ({
      model,
      calls: its.length,
      tokens: its.reduce<Tokens | null>((total, { tokens }) => sum(total, tokens), null),
      costs: together(its.map(({ costs }) => costs)),
    }))
    .sort((a, b) => (b.tokens?.total ?? 0) - (a.tokens?.total ?? 0))
}

/** The tokens of the calls that have a cost. */
export function pricedTokens(calls: readonly ModelCall[]): Tokens {
  return calls.reduce<Tokens>(
    (total, { costs, tokens }) => (costs.cost === null ? total : (sum(total, tokens) ?? total)),
    none,
  )
}

const none: Tokens = {
  input: 0,
  cache_read: 0,
  cache_write_5m: 0,
  cache_write_1h: 0,
  output: 0,
  reasoning: 0,
  total: 0,
}

function sum(a: Tokens | null, b: Tokens | null): Tokens | null {
  if (b === null) return a
  const both = { ...(a ?? none) }
  for (const { key } of buckets) both[key] += b[key]
  both.total += b.total
  return both
}

/** What became of the calls of one tool. Times are ms. */
export interface ToolTotal {
  name: string
  calls: readonly Span[]
  errors: number
  open: number
  median: number | null
  longest: Span | null
}

/** The tool calls by tool, most calls first. */
export function byTool(timeline: Schemas['Timeline']): ToolTotal[] {
  const tools = new Map<string, Span[]>()
  for (const span of withDescendants(timeline.spans)) {
    if (span.kind !== 'tool') continue
    const calls = tools.get(span.name)
    if (calls === undefined) tools.set(span.name, [span])
    else calls.push(span)
  }
  return [...tools]
    .map(([name, calls]) => totalOf(name, calls))
    .sort((a, b) => b.calls.length - a.calls.length)
}

function totalOf(name: string, calls: readonly Span[]): ToolTotal {
  const timed = calls
    .filter(({ duration_ms }) => duration_ms !== null)
    .sort((a, b) => (a.duration_ms ?? 0) - (b.duration_ms ?? 0))
  const middle = timed.length >> 1
  const [low, high] = [timed[timed.length % 2 === 0 ? middle - 1 : middle], timed[middle]]
  return {
    name,
    calls,
    errors: calls.filter(({ status }) => status === 'error' || status === 'rejected').length,
    open: calls.filter((span) => endOf(span) === null || span.status === 'unclosed').length,
    median: low && high ? ((low.duration_ms ?? 0) + (high.duration_ms ?? 0)) / 2 : null,
    longest: timed[timed.length - 1] ?? null,
  }
}
