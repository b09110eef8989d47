import type { QueryClient } from '@tanstack/react-query'
import type { Player } from './player/player'
import { densityQuery, fetchMessages, sessionQuery, timelineQuery, transcriptQuery } from './queries'
import { changedSince, merged } from './transcript'

/** The least time between two polls of a session's messages, ms; and of its timeline. */
const textInterval = 400
const shapeInterval = 2000
/** The most time between two: otherwise as long as a look takes, so that a busy server is not kept busier, ms. */
const longestRest = 2000
/**
 * How many polls follow once the data is as new as the player. Frames are announced before they are stored,
 * and what they say may be stored after them.
 */
const looksAfter = 2
/** How long it is left at that, ms: the player receives no cues for frames that arrived while it was catching up. */
const pulse = 3000

/**
 * Keeps the data of a session that runs as new as the player knows it to be, and fetches all of it once
 * more when it is over. What is returned ends it.
 */
export function follow(client: QueryClient, id: string, player: Player): () => void {
  let { edge, running } = player.state()
  let looksLeft = looksAfter
  let timer: ReturnType<typeof setTimeout> | undefined
  let looking = false
  let ended = false
  let shapeAt = 0

  const look = async () => {
    const began = performance.now()
    looking = true
    const session = { ...sessionQuery(id), exact: true }
    const due = [
      client.refetchQueries(session),
      refreshTranscript(client, id),
      client.refetchQueries(timelineQuery(id)),
    ]
    if (began >= shapeAt) {
      shapeAt = began + shapeInterval
      due.push(client.refetchQueries(densityQuery(id)))
    }
    await Promise.allSettled(due) // what failed shows as the query's error, and is tried again
    const stored = client.getQueryData(session.queryKey)?.duration_ms ?? 0
    if (stored >= edge) looksLeft--
    looking = false
    const took = performance.now() - began
    if (!ended) timer = setTimeout(next, Math.max(textInterval - took, Math.min(took, longestRest)))
  }
  const next = () => {
    timer = undefined
    if (ended || looking || !running) return
    if (looksLeft > 0) void look()
    else
      timer = setTimeout(() => {
        timer = undefined
        void look()
      }, pulse)
  }
  const changed = () => {
    const state = player.state()
    if (running && !state.running) void client.invalidateQueries({ queryKey: ['session', id] })
    running = state.running
    if (state.edge === edge) return
    edge = state.edge
    const idle = looksLeft <= 0
    looksLeft = looksAfter
    if (!idle) return // it is looking, or will soon
    clearTimeout(timer) // the pulse comes sooner
    next()
  }
  const unsubscribe = player.subscribe(changed)
  timer = setTimeout(next, textInterval)
  return () => {
    ended = true
    clearTimeout(timer)
    unsubscribe()
  }
}

/** Fetches what changed of a transcript that is known. */
async function refreshTranscript(client: QueryClient, id: string) {
  const { queryKey } = transcriptQuery(id)
  const known = client.getQueryData(queryKey)
  if (known === undefined) return
  const changed = await fetchMessages(id, changedSince(known))
  client.setQueryData(queryKey, (now) => now && merged(now, changed))
}
