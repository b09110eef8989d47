import type { Schemas } from '../../api/client'
import { endOf, withDescendants } from '../timeline/span'

type Message = Schemas['Message']
type Span = Schemas['Span']

/** A tool call with what was written of it. */
export interface ToolCall {
  name: string
  /** Null where only messages mention the call. */
  span: Span | null
  arguments: Message[]
  output: Message[]
  result: Message[]
}

/** A piece of the conversation. It is there from the moment `from` on, ms from the session's start. */
export type Item = { key: string; from: number } & (
  | { kind: 'message'; message: Message }
  | { kind: 'tool'; call: ToolCall }
  /** `number` counts the runs from 1; 0 is for runs inside of others. */
  | { kind: 'run'; span: Span; number: number }
  /** `said` is whether an error message of the run says why it failed. */
  | { kind: 'end'; span: Span; number: number; said: boolean }
)

/** An item and its place among the items of the same moment. */
interface Placed {
  item: Item
  stream: string
  seq: number
  rank: number
  /** Where its first message is in the transcript, which has those of one frame in their order. */
  order: number
}

/** Puts the messages and the runs of a session in order of their moments, with one item for each tool call. */
export function conversationOf(messages: readonly Message[], spans: readonly Span[]): Item[] {
  const all = [...withDescendants(spans)]
  const placed: Placed[] = []
  const calls = callsOf(messages, all)
  for (const [id, { call, from, position, order }] of calls)
    placed.push(place({ key: `tool ${id}`, from, kind: 'tool', call }, position, 1, order))
  const repeated = repeatedReplies(messages)
  for (const [order, message] of messages.entries()) {
    if (calls.has(callId(message)) || repeated.has(message)) continue
    const item: Item = { key: message.id, from: message.start_ms, kind: 'message', message }
    placed.push(place(item, message.position, 1, order))
  }
  const errors = new Set(
    messages.flatMap(({ kind, run_id, text }) => (kind === 'error' ? [`${run_id} ${text.trim()}`] : [])),
  )
  placed.push(...runsOf(all, placed, errors))
  return placed.sort(byPlace).map(({ item }) => item)
}

function place(item: Item, position: string, rank: number, order = 0): Placed {
  const [, stream = '', seq = '0'] = position.split('.')
  return { item, stream, seq: Number(seq), rank, order }
}

function byPlace(a: Placed, b: Placed): number {
  return (
    a.item.from - b.item.from ||
    (a.stream < b.stream ? -1 : a.stream > b.stream ? 1 : 0) ||
    a.seq - b.seq ||
    a.rank - b.rank ||
    a.order - b.order
  )
}

const toolKinds: ReadonlySet<Message['kind']> = new Set(['tool_arguments', 'tool_output', 'tool_result'])

/** Which call a message is about; a result that names no call is an item of its own. */
function callId(message: Message): string {
  if (!toolKinds.has(message.kind)) return ''
  return message.span_id === '' ? message.id : message.span_id
}

interface Call {
  call: ToolCall
  from: number
  position: string
  order: number
}

function callsOf(messages: readonly Message[], spans: readonly Span[]): Map<string, Call> {
  const calls = new Map<string, Call>()
  const others = new Set<string>()
  for (const span of spans) {
    if (span.kind !== 'tool') others.add(span.id)
    else
      calls.set(span.id, {
        call: { name: span.name, span, arguments: [], output: [], result: [] },
        from: span.start_ms,
        position: span.position,
        order: messages.length, // unless a message mentions it
      })
  }
  for (const [order, message] of messages.entries()) {
    const id = callId(message)
    // A run or a model call is no tool call: its result is an item of its own.
    if (id === '' || others.has(id)) continue
    let found = calls.get(id)
    if (found === undefined) {
      found = {
        call: { name: message.name, span: null, arguments: [], output: [], result: [] },
        from: message.start_ms,
        position: message.position,
        order,
      }
      calls.set(id, found)
    }
    found.order = Math.min(found.order, order)
    if (message.start_ms < found.from) found.from = message.start_ms
    if (message.kind === 'tool_arguments') found.call.arguments.push(message)
    else if (message.kind === 'tool_output') found.call.output.push(message)
    else found.call.result.push(message)
  }
  return calls
}

/** Replies that repeat the run's last message. */
function repeatedReplies(messages: readonly Message[]): Set<Message> {
  const repeated = new Set<Message>()
  const last = new Map<string, string>()
  for (const message of messages) {
    if (message.kind === 'assistant') last.set(message.run_id, message.text.trim())
    else if (message.kind === 'reply' && last.get(message.run_id) === message.text.trim())
      repeated.add(message)
  }
  return repeated
}

/** The beginnings and ends of runs. An end comes after all of its run that was there by then. */
function runsOf(spans: readonly Span[], items: readonly Placed[], errors: ReadonlySet<string>): Placed[] {
  const runs: Placed[] = []
  const runOf = new Map<string, Span>()
  const ids = new Set(spans.map(({ id }) => id))
  for (const span of spans) {
    const run = span.kind === 'run' ? span : runOf.get(span.parent)
    if (run !== undefined) runOf.set(span.id, run)
  }
  const lastSeq = new Map<Span, number>()
  const reach = (run: Span | undefined, stream: string, seq: number, from: number) => {
    const end = run && endOf(run)
    if (run === undefined || end === null || end === undefined || from > end) return
    if (stream === streamOf(run)) lastSeq.set(run, Math.max(lastSeq.get(run) ?? 0, seq))
  }
  for (const span of spans) {
    const { stream, seq } = place(
      { key: '', from: 0, kind: 'end', span, number: 0, said: false },
      span.position,
      0,
    )
    reach(runOf.get(span.id), stream, seq, span.start_ms)
  }
  for (const { item, stream, seq } of items) {
    const id = item.kind === 'message' ? item.message.span_id : item.kind === 'tool' ? item.call.span?.id : ''
    reach(runOf.get(id ?? ''), stream, seq, item.from)
  }
  let number = 0
  for (const span of spans) {
    if (span.kind !== 'run') continue
    const n = ids.has(span.parent) ? 0 : ++number
    runs.push(
      place({ key: `run ${span.id}`, from: span.start_ms, kind: 'run', span, number: n }, span.position, 0),
    )
    const end = endOf(span)
    if (end === null) continue
    runs.push({
      item: {
        key: `end ${span.id}`,
        from: end,
        kind: 'end',
        span,
        number: n,
        said: errors.has(`${span.run_id} ${(span.error ?? '').trim()}`),
      },
      stream: streamOf(span),
      seq: lastSeq.get(span) ?? 0,
      rank: 2,
      order: 0,
    })
  }
  return runs
}

function streamOf(span: Span): string {
  return span.position.split('.')[1] ?? ''
}
