import { IconChevronRight } from '@tabler/icons-react'
import { useId, useState, type ReactNode } from 'react'
import type { Column } from './column'
import classes from './table.module.css'

/** What the rows of a table unfold to. */
export interface Details<Row> {
  /** The name of the button that unfolds a row. */
  label: (row: Row) => string
  content: (row: Row) => ReactNode
}

/** A row of a report; with details, a button in its first cell shows them below the row. */
export function TableRow<Row>({
  columns,
  row,
  details,
}: {
  columns: readonly Column<Row>[]
  row: Row
  details: Details<Row> | undefined
}) {
  const [open, setOpen] = useState(false)
  const id = useId()
  return (
    <>
      <tr>
        {columns.map(({ name, figure, cell, key }, i) => (
          <td key={name} className={figure === true ? classes.figure : undefined}>
            {figure === true ? (
              cell(row)
            ) : (
              <div className={classes.first}>
                {i === 0 && details !== undefined && (
                  <button
                    className={classes.unfold}
                    aria-expanded={open}
                    aria-controls={open ? id : undefined}
                    aria-label={details.label(row)}
                    title={details.label(row)}
                    onClick={() => setOpen(!open)}
                  >
                    <IconChevronRight size={14} aria-hidden />
                  </button>
                )}
                <div className={classes.name} title={titleOf(key(row))}>
                  {cell(row)}
                </div>
              </div>
            )}
          </td>
        ))}
      </tr>
      {open && details !== undefined && (
        <tr id={id} className={classes.details}>
          <td colSpan={columns.length}>
            <div className={classes.panel}>{details.content(row)}</div>
          </td>
        </tr>
      )}
    </>
  )
}

/** A name in full, as a tooltip. */
function titleOf(key: number | string | null): string | undefined {
  return typeof key === 'string' ? key : undefined
}
