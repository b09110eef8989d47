import type { ReactNode } from 'react'
import classes from './notice.module.css'

/** A line over a page that tells of what is not as usual, and needs nobody to act. */
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
