import type { Schemas } from '../../api/client'
import { countUntil, growthOf } from '../conversation/growth'
import type { Item } from '../conversation/items'
import { endOf, withDescendants } from '../timeline/span'

type Message = Schemas['Message']
type Span = Schemas['Span']

/** A place of a session that contains the searched text. */
export interface Hit {
  key: string
  /** When it had arrived, ms from the session's start. */
  at: number
  /** The message that contains it; null for a hit in the name or the error of a span. */
  message: Message | null
  span: Span | null
  /** The item of the conversation, by its key. */
  item: string | null
  /** How many hits of the same message are before it. */
  nth: number
}

/** Of how many places the list is kept. */
export const mostHits = 5000

/**
 * What finds a query in a text: upper case and lower case are the same, and so is any white space. Null for a query
 * of nothing but white space.
 */
export function finderOf(query: string): RegExp | null {
  const words = query.trim().slice(0, 500).split(/\s+/).filter(Boolean)
  if (words.length === 0) return null
  return new RegExp(words.map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('\\s+'), 'giu')
}

/** All places that contain a query, in order of their moments, mostHits at most. */
export function hitsOf(items: readonly Item[], spans: readonly Span[], query: string): Hit[] {
  const finder = finderOf(query)
  if (finder === null) return []
  const hits: Hit[] = []
  for (const item of items) for (const message of messagesOf(item)) findIn(message, item.key, finder, hits)
  for (const span of withDescendants(spans)) {
    if (hits.length >= mostHits) break
    const named = [span.name, span.model ?? '', span.agent].some((text) => has(finder, text))
    if (named) hits.push(spanHit(span, span.start_ms, 'name'))
    if (span.error !== null && has(finder, span.error))
      hits.push(spanHit(span, endOf(span) ?? span.start_ms, 'error'))
  }
  return hits.sort((a, b) => a.at - b.at) // hits of one time keep their order
}

function spanHit(span: Span, at: number, what: string): Hit {
  return { key: `${what} ${span.id}`, at, message: null, span, item: null, nth: 0 }
}

function has(finder: RegExp, text: string): boolean {
  finder.lastIndex = 0
  return finder.test(text)
}

function messagesOf(item: Item): readonly Message[] {
  if (item.kind === 'message') return [item.message]
  if (item.kind !== 'tool') return []
  return [...item.call.arguments, ...item.call.output, ...item.call.result]
}

function findIn(message: Message, item: string, finder: RegExp, hits: Hit[]) {
  // An image that is written out holds no words.
  if (message.text.startsWith('data:')) return
  const { at, length } = growthOf(message)
  let nth = 0
  finder.lastIndex = 0
  for (let match = finder.exec(message.text); match !== null; match = finder.exec(message.text)) {
    if (hits.length >= mostHits) return
    const arrived = countUntil(length, finder.lastIndex - 1)
    hits.push({
      key: `${message.id} ${match.index}`,
      at: at[Math.min(arrived, at.length - 1)] ?? message.start_ms,
      message,
      span: null,
      item,
      nth: nth++,
    })
  }
}

/** The hit after another, or before it; from a moment where there is none. It goes round at either end. */
export function nextHit(
  hits: readonly Hit[],
  current: string | null,
  moment: number,
  back: boolean,
): Hit | undefined {
  const at = current === null ? -1 : hits.findIndex(({ key }) => key === current)
  if (at >= 0) return hits[(at + (back ? hits.length - 1 : 1)) % hits.length]
  const near = back ? hits.findLast((hit) => hit.at <= moment) : hits.find((hit) => hit.at > moment)
  return near ?? (back ? hits.at(-1) : hits[0])
}
