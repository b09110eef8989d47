import { Anchor } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'wouter'

/** The way to the page that tells how to record, in a text. */
export function ToRecord({ children }: { children: ReactNode }) {
  return (
    <Anchor component={Link} href="/record" inherit underline="always">
      {children}
    </Anchor>
  )
}
