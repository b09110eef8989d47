import type { Schemas } from '../../api/client'
import { endOf } from './span'

type Span = Schemas['Span']
type Message = Schemas['Message']

/** What went into a span and what came out of it, in order of time. */
export interface Content {
  input: Message[]
  output: Message[]
}

const inputs: ReadonlySet<Message['kind']> = new Set(['system', 'user', 'tool_arguments'])

/**
 * The messages of a span, whatever the player's moment is. A tool call has its arguments and what it answered, a
 * run what it was asked and what it replied, a model call what was said in its run since the call before it and
 * what it wrote, tool calls too. `spans` are all of the session.
 */
export function contentOf(span: Span, spans: Iterable<Span>, messages: readonly Message[]): Content {
  if (span.kind === 'llm') return modelContent(span, spans, messages)
  const own = messages.filter(({ span_id }) => span_id === span.id)
  return {
    input: own.filter(({ kind }) => inputs.has(kind)),
    output: own.filter(({ kind }) => !inputs.has(kind)),
  }
}

function modelContent(span: Span, spans: Iterable<Span>, messages: readonly Message[]): Content {
  let before: Span | undefined
  const models = new Set<string>()
  for (const one of spans) {
    if (one.kind !== 'llm') continue
    models.add(one.id)
    const earlier = one.run_id === span.run_id && one.start_ms < span.start_ms
    if (earlier && (before === undefined || one.start_ms > before.start_ms)) before = one
  }
  const since = before?.start_ms ?? -Infinity
  const end = endOf(span) ?? Infinity
  const content: Content = { input: [], output: [] }
  for (const message of messages) {
    const { kind, start_ms: at, run_id } = message
    if (message.span_id === span.id) content[inputs.has(kind) ? 'input' : 'output'].push(message)
    else if (models.has(message.span_id) || run_id !== span.run_id || kind === 'reply') continue
    // Arguments are written by the model; what came before them was its input.
    else if (kind === 'tool_arguments') {
      if (at >= span.start_ms && at <= end) content.output.push(message)
    } else if (at >= since && at <= span.start_ms) content.input.push(message)
  }
  return content
}
