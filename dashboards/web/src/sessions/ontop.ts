import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Filter } from '../filters/filter'
import { topQuery, type TopStatus } from './queries'
import { topOf, type Session } from './rows'

const none: readonly Session[] = []

/**
 * The sessions on top of the list: those that are open, and those that were lost lately. While the list still shows
 * the rows of the filter before (`stale`), so does this, unless the filter excludes the status.
 */
export function useOnTop(filter: Filter, stale: boolean) {
  const quiet = useStatus(filter, 'quiet', stale)
  const running = useStatus(filter, 'running', stale)
  const lost = useStatus(filter, 'lost', stale)
  const sessions = useMemo(
    () => topOf(quiet.sessions, running.sessions, lost.sessions),
    [quiet.sessions, running.sessions, lost.sessions],
  )
  return {
    sessions,
    /** There is no answer yet: what comes will move the other rows down. */
    pending: quiet.pending || running.pending || lost.pending,
    error: quiet.error ?? running.error ?? lost.error,
    again: () => Promise.all([quiet.again(), running.again(), lost.again()]),
  }
}

function useStatus(filter: Filter, status: TopStatus, stale: boolean) {
  const options = topQuery(filter, status)
  const enabled = options.enabled === true
  const { data, isPlaceholderData, isPending, error, refetch } = useQuery(options)
  // A query that is disabled keeps the answer for the filter before.
  const holds = enabled && (stale || !isPlaceholderData)
  return {
    sessions: holds ? (data ?? none) : none,
    pending: enabled && isPending,
    error: enabled ? error : null,
    again: () => (enabled ? refetch() : null),
  }
}
