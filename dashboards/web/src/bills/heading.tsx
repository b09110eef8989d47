import { Anchor, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import classes from '../reports/page.module.css'
import type { State } from './queries'
import { StateBadge } from './statebadge'

/** The head of a bill or a preview, with what can be done. */
export function BillHeading({
  title,
  state,
  note,
  children,
}: {
  title: string
  state: State
  note: string
  children?: ReactNode
}) {
  return (
    <>
      <Text size="sm">
        <Anchor component={Link} href="/bills">
          All bills
        </Anchor>
      </Text>
      <div className={classes.tools}>
        <div style={{ marginRight: 'auto' }}>
          <Title
            order={1}
            size="h3"
            style={{ display: 'flex', alignItems: 'center', gap: 10, flexWrap: 'wrap' }}
          >
            {title} <StateBadge state={state} />
          </Title>
          <Text size="sm" c="dimmed">
            {note}
          </Text>
        </div>
        {children}
      </div>
    </>
  )
}
