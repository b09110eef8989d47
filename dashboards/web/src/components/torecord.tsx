import { Anchor } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'wouter'

/** A link in a text to the page that describes how to record. */
export function ToRecord({ children }: { children: ReactNode }) {
  return (
    <Anchor component={Link} href="/record" inherit underline="always">
      {children}
    </Anchor>
  )
}
