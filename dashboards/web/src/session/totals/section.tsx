import { Table } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './totals.module.css'

/** A part of the totals: its name, and a table that scrolls by itself where it is too wide. */
export function Section({ title, note, children }: { title: string; note?: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <h2 className={classes.title}>
        {title}
        {note !== undefined && <span className={classes.label}>{note}</span>}
      </h2>
      <div className={classes.scroll} tabIndex={0} role="group" aria-label={`${title}, a table`}>
        <Table verticalSpacing={5} horizontalSpacing={10} fz="xs" className={classes.table}>
          {children}
        </Table>
      </div>
    </section>
  )
}
