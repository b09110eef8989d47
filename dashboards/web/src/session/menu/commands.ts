import { serverFlag, shellWord } from '../../format/shell'

/** The id of a session as an argument: one that begins with a dash is no flag. */
function argument(session: string): string {
  return session.startsWith('-') ? `-- ${shellWord(session)}` : shellWord(session)
}

/** A command about a session: its flags, then the session. */
export function command(name: string, server: string, session: string, flags = ''): string {
  return ['tapedeck', `${name}${serverFlag(server)}${flags}`, argument(session)].join(' ')
}

/** The formats of `tapedeck export`, and the ends of their files' names. */
export const formats = [
  { value: 'tape', label: 'Tape: everything', end: 'tape' },
  { value: 'ndjson', label: 'The frames as lines (NDJSON)', end: 'ndjson' },
  { value: 'sse', label: 'The frames as server-sent events', end: 'sse' },
  { value: 'asciicast', label: 'What was said, for a terminal (asciicast)', end: 'cast' },
  { value: 'har', label: 'Proxied HTTP (HAR)', end: 'har' },
] as const

export type Format = (typeof formats)[number]['value']

export function exportCommand(server: string, session: string, format: Format): string {
  const end = formats.find(({ value }) => value === format)?.end ?? format
  const file = `${session.replace(/[^\w.-]+/g, '-').replace(/^[-.]+/, '') || 'session'}.${end}`
  const flags = `${format === 'tape' ? '' : ` --format ${format}`} -o ${shellWord(file)}`
  return command('export', server, session, flags)
}

/** What is asked of a replay. `from` is ms from the session's start, 0 for all of it. */
export interface ReplayWish {
  speed: string
  from: number
  follow: boolean
}

/** The address that plays a session, of the server at an address. */
export function replayAddress(server: string, session: string, { speed, from, follow }: ReplayWish): string {
  const params = new URLSearchParams({
    ...(speed !== '1' && { speed }),
    ...(from > 0 && { from: offsetText(from) }),
    ...(follow && { follow: '1' }),
  }).toString()
  return `${server}/v1/sessions/${encodeURIComponent(session)}/replay${params === '' ? '' : `?${params}`}`
}

export function playCommand(server: string, session: string, { speed, from, follow }: ReplayWish): string {
  const flags = [
    speed === '1' ? '' : ` --speed ${speed}`,
    from > 0 ? ` --from ${offsetText(from)}` : '',
    follow ? ' --follow' : '',
  ]
  return command('play', server, session, flags.join(''))
}

/** A request by curl, with the token of the environment where the server asks for one. */
export function curlCommand(address: string, tokens: boolean): string {
  const head = tokens ? ' \\\n  -H "Authorization: Bearer $TAPEDECK_TOKEN"' : ''
  return `curl -N${head}${tokens ? ' \\\n  ' : ' '}'${address.replaceAll("'", "'\\''")}'`
}

function offsetText(ms: number): string {
  return `+${Math.round(ms) / 1000}s`
}
