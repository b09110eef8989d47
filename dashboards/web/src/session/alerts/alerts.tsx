import { Badge, UnstyledButton } from '@mantine/core'
import { IconBell } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Alert } from '../../api/alerts'
import type { Schemas } from '../../api/client'
import { duration } from '../../format/duration'
import { longTime, shortTime } from '../../format/moment'
import { count, counted } from '../../format/numbers'
import { usePlayer } from '../player/context'
import { offsetOfTime } from '../player/position'
import classes from './alerts.module.css'
import { alertsQuery } from './queries'

type Session = Schemas['SessionDetail']

/** How many alerts are listed before one asks for more. */
const few = 3

/** The rule of the latest alert that is open, and since when. */
export function OpenAlert({ session }: { session: Session }) {
  const open = useQuery(alertsQuery(session)).data?.filter(({ ended }) => ended === null) ?? []
  const [latest] = open
  if (latest === undefined) return null
  return (
    <Badge
      className={classes.open ?? ''}
      variant="light"
      color="yellow"
      size="sm"
      radius="sm"
      tt="none"
      leftSection={<IconBell size={12} aria-hidden />}
      title={open.map(({ rule, detail }) => `${rule}: ${detail}`).join('\n')}
    >
      {latest.rule} since {shortTime(latest.began)}
      {open.length > 1 && `, and ${counted(open.length - 1, 'more alert')}`}
    </Badge>
  )
}

/** The alerts of a session, the latest first. A click on one leads to the moment at which it began. */
export function AlertList({ session }: { session: Session }) {
  const alerts = useQuery(alertsQuery(session)).data ?? []
  const [all, showAll] = useState(false)
  if (alerts.length === 0) return null
  return (
    <ul className={classes.list} aria-label="Alerts">
      {alerts.slice(0, all ? alerts.length : few).map((alert) => (
        <Line key={alert.id} alert={alert} session={session} />
      ))}
      {!all && alerts.length > few && (
        <li>
          <UnstyledButton className={classes.more ?? ''} onClick={() => showAll(true)}>
            {count(alerts.length - few)} more
          </UnstyledButton>
        </li>
      )}
    </ul>
  )
}

function Line({ alert, session }: { alert: Alert; session: Session }) {
  const player = usePlayer()
  const { rule, began, ended, detail } = alert
  return (
    <li data-open={ended === null || undefined}>
      <IconBell size={13} aria-hidden />{' '}
      <UnstyledButton
        className={classes.rule ?? ''}
        title={longTime(began)}
        onClick={() => player.seek(Math.max(0, offsetOfTime(began, session.started)))}
      >
        {rule}
      </UnstyledButton>{' '}
      {ended === null
        ? `since ${shortTime(began)}`
        : `at ${shortTime(began)} for ${duration(Date.parse(ended) - Date.parse(began))}`}
      : {detail}
    </li>
  )
}
