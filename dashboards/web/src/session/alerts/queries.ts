import { queryOptions } from '@tanstack/react-query'
import { fetchAlerts } from '../../api/alerts'
import { isRefused, isShared, type Schemas } from '../../api/client'
import { isOpen } from '../standing'

/** How often the alerts of an open session are asked for, ms. */
const interval = 5_000

/** The alerts of a session, the latest first. A shared link shows none. */
export const alertsQuery = (session: Pick<Schemas['SessionDetail'], 'id' | 'status'>) =>
  queryOptions({
    queryKey: ['session', session.id, 'alerts'],
    queryFn: ({ signal }) => fetchAlerts({ session: session.id }, signal),
    enabled: !isShared(),
    staleTime: interval,
    // Of a session that was lost a rule may hold on, and an alert ends a moment after its session has ended.
    refetchInterval: ({ state: { data, error } }) =>
      !isRefused(error) &&
      (isOpen(session) || session.status === 'lost' || data?.some(({ ended }) => ended === null))
        ? interval
        : false,
  })
