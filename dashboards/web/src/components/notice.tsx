import type { ReactNode } from 'react'
import classes from './notice.module.css'

/** A line above a page about something unusual that needs no action. */
export function Notice({ icon, children }: { icon: ReactNode; children: ReactNode }) {
  return (
    <p className={classes.notice}>
      <span className={classes.icon} aria-hidden>
        {icon}
      </span>
      <span>{children}</span>
    </p>
  )
}
