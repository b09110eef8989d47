import type { Schemas } from '../api/client'

type Message = Schemas['Message']

/**
 * From when on to ask what changed, given the messages that are known: when the latest of them last grew,
 * to the millisecond, so that what came in the same one is not missed. Undefined where none is known.
 */
export function changedSince(known: readonly Message[]): string | undefined {
  let latest = -Infinity
  for (const message of known) latest = Math.max(latest, Date.parse(message.ended ?? message.started))
  return latest === -Infinity ? undefined : new Date(latest).toISOString()
}

/**
 * Merges changed messages into the known ones. A message that was still growing and is not among the changes
 * is complete as it was. Messages that did not change stay the same objects.
 */
export function merged(known: readonly Message[], changed: readonly Message[]): Message[] {
  const changes = new Map(changed.map((message) => [message.id, message]))
  const all = known.map((message) => {
    const now = changes.get(message.id)
    changes.delete(message.id)
    return now ?? (message.complete ? message : { ...message, complete: true })
  })
  if (changes.size === 0) return all
  all.push(...changes.values())
  return all.sort((a, b) => a.start_ms - b.start_ms) // items of one time keep their order
}
