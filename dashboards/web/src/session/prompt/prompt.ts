/** What a request asks of a model. */
export interface Prompt {
  /** "" without a system prompt. */
  system: string
  tools: Tool[]
  /** The conversation that it repeats, without the system prompt. */
  messages: Said[]
  /** The other members of the request, such as its temperature. */
  settings: Record<string, unknown>
}

export interface Tool {
  name: string
  description: string
  /** Its other members, such as the schema of its arguments. */
  rest: unknown
}

export interface Said {
  role: string
  content: unknown
}

type Fields = Record<string, unknown>

/**
 * Reads a request to a model in the forms of Anthropic's, OpenAI's, Google's, Amazon's, Ollama's and Cohere's APIs.
 * Null for any other value.
 */
export function promptOf(request: unknown): Prompt | null {
  if (!isFields(request)) return null
  // Gemini's clients, and some gateways, wrap it.
  const body = conversationOf(request) === null && isFields(request['request']) ? request['request'] : request
  const conversation = conversationOf(body)
  if (conversation === null) return null
  const begin = conversation.findIndex(({ role }) => !isSystem(role))
  const leading = conversation.slice(0, begin < 0 ? conversation.length : begin)
  const stated =
    body['system'] ?? body['instructions'] ?? body['systemInstruction'] ?? body['system_instruction']
  const system = [textOf(stated), ...leading.map(({ content }) => textOf(content))].filter(
    (text) => text !== '',
  )
  const settings = Object.fromEntries(Object.entries(body).filter(([name]) => !shown.has(name)))
  return {
    system: system.join('\n'),
    tools: toolsOf(body),
    messages: conversation.slice(leading.length),
    settings,
  }
}

const conversations = ['messages', 'input', 'contents', 'prompt'] as const
const shown: ReadonlySet<string> = new Set([
  ...conversations,
  'system',
  'instructions',
  'systemInstruction',
  'system_instruction',
  'tools',
  'toolConfig',
])

function conversationOf(body: Fields): Said[] | null {
  for (const name of conversations) {
    const value = body[name]
    if (typeof value === 'string') return [{ role: 'user', content: value }]
    if (Array.isArray(value)) return value.filter(isFields).map(saidOf)
  }
  return null
}

function saidOf(message: Fields): Said {
  const { role, content, parts, type, ...others } = message
  const name = typeof role === 'string' ? role : typeof type === 'string' ? type : 'user'
  const said = content ?? parts
  // A call without a text, or an item that is no message, is shown as it is.
  return { role: name, content: said === undefined || said === null || said === '' ? others : said }
}

function isSystem(role: string): boolean {
  return role === 'system' || role === 'developer'
}

function toolsOf(body: Fields): Tool[] {
  const config = body['toolConfig'] // Bedrock's
  const list = body['tools'] ?? (isFields(config) ? config['tools'] : undefined)
  if (!Array.isArray(list)) return []
  return list.filter(isFields).flatMap((tool) => {
    const declared = tool['functionDeclarations'] ?? tool['function_declarations'] // Gemini's
    if (Array.isArray(declared)) return declared.filter(isFields).map(toolOf)
    const inner = tool['function'] ?? tool['toolSpec']
    return [toolOf(isFields(inner) ? inner : tool)]
  })
}

function toolOf({ name, description, ...rest }: Fields): Tool {
  const kind = rest['type'] ?? Object.keys(rest)[0]
  return {
    name: typeof name === 'string' ? name : typeof kind === 'string' ? kind : 'A tool',
    description: typeof description === 'string' ? description : '',
    rest,
  }
}

/** A text, or the texts of a list of content, one a line. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (isFields(content)) return textOf(content['text'] ?? content['parts'])
  if (!Array.isArray(content)) return ''
  return content
    .map((part) => (typeof part === 'string' ? part : isFields(part) ? textOf(part['text']) : ''))
    .filter((text) => text !== '')
    .join('\n')
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
