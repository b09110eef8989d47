import { momentText } from '../session/place'
import type { Hit } from './queries'

/** The hits of one session. */
export interface Group {
  session: string
  title: string
  started: string
  hits: Hit[]
}

/** Hits by session, the sessions in the order of their first hits. */
export function groupsOf(hits: readonly Hit[]): Group[] {
  const groups = new Map<string, Group>()
  for (const hit of hits) {
    const group = groups.get(hit.session_id)
    if (group !== undefined) group.hits.push(hit)
    else
      groups.set(hit.session_id, {
        session: hit.session_id,
        title: hit.session_title,
        started: hit.session_started,
        hits: [hit],
      })
  }
  return [...groups.values()]
}

/** The address of a session at the moment at which the place in a hit's snippet arrived. */
export function momentOf({ session_id, offset_ms, kind, span_id }: Hit): string {
  const params = new URLSearchParams({ t: momentText(offset_ms) })
  if (kind === 'error' && span_id !== '') {
    params.set('tab', 'timeline')
    params.set('span', span_id)
  }
  return `/sessions/${encodeURIComponent(session_id)}?${params.toString()}`
}

const names: Record<Hit['kind'], string> = {
  system: 'System',
  user: 'User',
  assistant: 'Assistant',
  thinking: 'Thinking',
  tool_arguments: 'Asked',
  tool_output: 'Printed by',
  tool_result: 'Answered by',
  reply: 'Reply',
  error: 'Error',
}

/** The author of a hit in a few words: "Asked bash". */
export function speakerOf({ kind, name }: Pick<Hit, 'kind' | 'name'>): string {
  if (name === '')
    return kind === 'tool_arguments' || kind === 'tool_output' || kind === 'tool_result'
      ? `${names[kind]} a tool`
      : names[kind]
  return kind === 'error' ? `Error of ${name}` : `${names[kind]} ${name}`
}

/** What the kinds are called where they are chosen. */
export const kindNames: Record<Hit['kind'], string> = {
  ...names,
  tool_arguments: 'Tool arguments',
  tool_output: 'Tool output',
  tool_result: 'Tool result',
}
