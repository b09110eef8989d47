import type { ReactNode } from 'react'

/** A column of a report's table. */
export interface Column<Row> {
  name: string
  /** The tooltip of the name. */
  hint?: string
  /** A figure, set to the right. */
  figure?: boolean
  /** On a narrow screen it comes after the others, in sight once the table is scrolled sideways. */
  late?: boolean
  cell: (row: Row) => ReactNode
  /** What rows are ordered by when the column's head is chosen. */
  key: (row: Row) => number | string | null
  total?: ReactNode
}
