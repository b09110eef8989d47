import type { ReactNode } from 'react'
import classes from './page.module.css'

export interface Fact {
  name: string
  value: ReactNode
  /** A remark below the value. */
  note?: string
}

/** The totals of a report, large. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl className={classes.facts}>
      {facts.map(({ name, value, note }) => (
        <div key={name} className={classes.fact}>
          <dt>{name}</dt>
          <dd>
            {value}
            {note !== undefined && <small>{note}</small>}
          </dd>
        </div>
      ))}
    </dl>
  )
}
