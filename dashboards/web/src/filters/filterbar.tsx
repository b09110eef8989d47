import type { ReactNode } from 'react'
import classes from './filters.module.css'

/** Filters beside one another; where there is little room, in one line that scrolls. */
export function FilterBar({
  label,
  className = '',
  children,
}: {
  label: string
  className?: string | undefined
  children: ReactNode
}) {
  return (
    <div
      className={`${classes.filters} ${className}`}
      role="group"
      aria-label={label}
      // In a line that scrolls, what has the focus is all in sight.
      onFocus={(event) => event.target.scrollIntoView({ block: 'nearest', inline: 'nearest' })}
    >
      {children}
    </div>
  )
}
