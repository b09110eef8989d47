import { Badge } from '@mantine/core'
import { IconBell } from '@tabler/icons-react'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { fetchAlerts } from '../api/alerts'
import { isRefused } from '../api/client'
import { shortTime } from '../format/moment'
import classes from './openalerts.module.css'

/** The open alerts of all sessions, the latest first. They are asked for with the rows of open sessions. */
const openAlertsQuery = queryOptions({
  queryKey: ['alerts', 'open'],
  queryFn: ({ signal }) => fetchAlerts({ state: 'open' }, signal),
  refetchInterval: ({ state }) => (isRefused(state.error) ? false : 5_000),
})

/** The rule of the latest open alert of a session, and since when; nothing without an alert. */
export default function OpenAlerts({ session }: { session: string }) {
  const alerts = useQuery({
    ...openAlertsQuery,
    select: (items) => items.filter(({ session_id }) => session_id === session),
  }).data
  const [latest] = alerts ?? []
  if (alerts === undefined || latest === undefined) return null
  return (
    <Badge
      className={classes.alert ?? ''}
      variant="light"
      color="yellow"
      size="sm"
      radius="sm"
      tt="none"
      leftSection={<IconBell size={12} aria-label="Alert" />}
      title={alerts.map(({ rule, detail }) => `${rule}: ${detail}`).join('\n')}
    >
      {latest.rule} since {shortTime(latest.began)}
      {alerts.length > 1 && ` + ${alerts.length - 1}`}
    </Badge>
  )
}
