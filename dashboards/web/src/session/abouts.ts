import type { Schemas } from '../api/client'
import { parsed } from './conversation/json'
import { brief, headline } from './conversation/shapes'

/** Arguments that are longer are not read. */
const longest = 200_000

/** What spans are about, by their ids: of a tool call what it was asked, of a model call what it wrote first. */
export function aboutsOf(messages: readonly Schemas['Message'][]): ReadonlyMap<string, string> {
  const abouts = new Map<string, string>()
  for (const { kind, name, text, span_id } of messages) {
    if (kind === 'tool_arguments' && text.length < longest)
      abouts.set(span_id, headline(name, parsed(text) ?? text))
    else if (kind === 'assistant' && text !== '' && !abouts.has(span_id)) abouts.set(span_id, brief(text))
  }
  return abouts
}
