import { IconAlertTriangle, IconPlugConnectedX } from '@tabler/icons-react'
import { type Query, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect } from 'react'
import { Notice } from '../components/notice'
import { counted } from '../format/numbers'
import { deadLetters, illParts, serverQuery, shardsAway } from './server'

/** Shows that the server is unreachable or not ready. When it is back, all failed requests are repeated. */
export function ServerState() {
  const client = useQueryClient()
  const server = useQuery(serverQuery)
  const away = server.error !== null
  useEffect(() => {
    if (away) return () => void client.refetchQueries({ type: 'active', predicate: failed })
    return undefined
  }, [client, away])
  return <div role="status">{describe(away, server.data)}</div>
}

function describe(away: boolean, ready: Parameters<typeof illParts>[0] | undefined): ReactNode {
  if (away)
    return (
      <Notice icon={<IconPlugConnectedX size={16} />}>
        The server cannot be reached. What is here stays, and goes on by itself once the server is back.
      </Notice>
    )
  if (ready?.ready === false)
    return (
      <Notice icon={<IconPlugConnectedX size={16} />}>
        The server is not ready: {illParts(ready)}. What is newest may be missing meanwhile.
      </Notice>
    )
  const missing = ready && shardsAway(ready)
  if (missing) return <Notice icon={<IconPlugConnectedX size={16} />}>{missing}</Notice>
  const letters = ready === undefined ? 0 : deadLetters(ready)
  if (letters > 0)
    return (
      <Notice icon={<IconAlertTriangle size={16} />}>
        {counted(letters, 'block')} could not be stored and {letters === 1 ? 'is' : 'are'} set aside: sessions
        may lack frames. <code>tapedeck dead-letters list</code> shows why,{' '}
        <code>tapedeck dead-letters retry</code> tries again.
      </Notice>
    )
  return null
}

function failed({ state }: Query): boolean {
  return state.error !== null || state.fetchFailureCount > 0
}
