import type { ReactNode } from 'react'
import classes from './notice.module.css'

/** A line above a page about something unusual that needs no action. */
export function Notice({ icon, children }: { icon: ReactNode; children: ReactNode }) {
  return (
    <div className={classes.notice}>
      <span className={classes.icon} aria-hidden>
        {icon}
      </span>
      <div>{children}</div>
    </div>
  )
}
