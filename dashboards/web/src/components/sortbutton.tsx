import { IconArrowDown, IconArrowUp } from '@tabler/icons-react'
import classes from './sortbutton.module.css'

/** The head of a column that orders a table by it, with an arrow while it does. */
export function SortButton({
  name,
  hint,
  sorted,
  onClick,
}: {
  name: string
  hint?: string | undefined
  sorted: 'ascending' | 'descending' | 'none'
  onClick: () => void
}) {
  return (
    <button
      className={classes.sort}
      title={hint}
      data-sorted={sorted !== 'none' || undefined}
      onClick={onClick}
    >
      {name}
      {sorted === 'ascending' && <IconArrowUp size={13} aria-hidden />}
      {sorted === 'descending' && <IconArrowDown size={13} aria-hidden />}
    </button>
  )
}
