import { Button } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useMemo, useState } from 'react'
import { SortButton } from '../components/sortbutton'
import { count } from '../format/numbers'
import type { Column } from './column'
import { TableRow, type Details } from './row'
import classes from './table.module.css'

/** How many rows are shown at once. */
const page = 200

const narrowQuery = '(max-width: 36em)'

/** A report's rows with their totals. A column's head orders them by it. */
export function ReportTable<Row>({
  columns: given,
  rows,
  rowKey,
  label,
  first,
  details,
}: {
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  rowKey: (row: Row) => string
  label: string
  /** The column of figures by which rows are ordered at first, the highest on top; by default they stay as given. */
  first?: string | undefined
  /** What each row unfolds to. */
  details?: Details<Row>
}) {
  const narrow = useMediaQuery(narrowQuery, window.matchMedia(narrowQuery).matches)
  const columns = useMemo(
    () => (narrow ? given.toSorted((a, b) => Number(a.late === true) - Number(b.late === true)) : given),
    [narrow, given],
  )
  const [order, setOrder] = useState<{ name: string; up: boolean } | null>(
    first === undefined ? null : { name: first, up: false },
  )
  const [shown, setShown] = useState(page)
  const by = columns.find(({ name }) => name === order?.name)
  const ordered = useMemo(() => {
    if (by === undefined || order === null) return rows
    const sorted = rows.toSorted((a, b) => compare(by.key(a), by.key(b)))
    return order.up ? sorted : sorted.reverse()
  }, [rows, by, order])
  return (
    <div
      className={`${classes.scroller} ${details === undefined ? '' : classes.unfolding}`}
      tabIndex={0}
      role="region"
      aria-label={label}
    >
      <table className={classes.table}>
        <thead>
          <tr>
            {columns.map(({ name, hint, figure, key }) => {
              const up = order?.name === name ? order.up : undefined
              const sorted = up === undefined ? 'none' : up ? 'ascending' : 'descending'
              return (
                <th
                  key={name}
                  scope="col"
                  className={figure === true ? classes.figure : undefined}
                  aria-sort={sorted}
                >
                  <SortButton
                    name={headOf(name)}
                    hint={hint}
                    sorted={sorted}
                    onClick={() => {
                      const row = rows[0]
                      setOrder({ name, up: up === undefined ? row !== undefined && isName(key(row)) : !up })
                    }}
                  />
                </th>
              )
            })}
          </tr>
        </thead>
        <tbody>
          {ordered.slice(0, shown).map((row) => (
            <TableRow key={rowKey(row)} columns={columns} row={row} details={details} />
          ))}
        </tbody>
        {columns.some(({ total }) => total !== undefined) && (
          <tfoot>
            <tr>
              {columns.map(({ name, figure, total }, i) =>
                i === 0 ? (
                  <th key={name} scope="row">
                    {total ?? 'Total'}
                  </th>
                ) : (
                  <td key={name} className={figure === true ? classes.figure : undefined}>
                    {total}
                  </td>
                ),
              )}
            </tr>
          </tfoot>
        )}
      </table>
      {shown < rows.length && (
        <div className={classes.more}>
          <Button size="xs" variant="default" onClick={() => setShown(shown + 5 * page)}>
            Show more of {count(rows.length)} rows
          </Button>
        </div>
      )}
    </div>
  )
}

function isName(key: number | string | null): boolean {
  return typeof key === 'string'
}

/** Unknown values come last. */
function compare(a: number | string | null, b: number | string | null): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? -1 : 1
  return a < b ? -1 : a > b ? 1 : 0
}

/** A column's name as a head: "Cache read", and p50 as it is. */
function headOf(name: string): string {
  return /^[a-z]{2,}(?![:\w])/.test(name) ? name.charAt(0).toUpperCase() + name.slice(1) : name
}
