import type { Schemas } from '../../api/client'

type Message = Schemas['Message']

/** The system prompt and the list of tools that hold for a model call. */
export interface Stated {
  system: Message | null
  tools: Message | null
}

/** Whether a message is the system prompt of requests, which a stream states once for all its calls. */
export function isInstructions({ attributes }: Pick<Message, 'attributes'>): boolean {
  const mark: unknown = attributes?.['instructions']
  return mark === true
}

/** How many tools a message lists that were offered to the model; null for any other message. */
export function toolsOffered({ attributes }: Pick<Message, 'attributes'>): number | null {
  const offered: unknown = attributes?.['tools_offered']
  return typeof offered === 'number' ? offered : null
}

/** The last prompt and the last tools that the stream of a model call states up to its start. */
export function statedBefore(span: Schemas['Span'], messages: readonly Message[]): Stated {
  const stated: Stated = { system: null, tools: null }
  const stream = streamOf(span.position)
  for (const message of messages) {
    if (message.start_ms > span.start_ms || streamOf(message.position) !== stream) continue
    if (isInstructions(message)) stated.system = message
    else if (toolsOffered(message) !== null) stated.tools = message
  }
  return stated
}

function streamOf(position: string): string {
  return position.split('.')[1] ?? ''
}
