import { CloseButton } from '@mantine/core'
import { useRef, useState } from 'react'
import { FilterButton } from './filterbutton'
import { FilterMenu } from './filtermenu'
import classes from './filters.module.css'
import type { Kind } from './kind'

/** The filters that are chosen, each as a chip that can be changed and removed, and a menu of all filters. */
export function Chips({ kinds }: { kinds: readonly Kind[] }) {
  const menu = useRef<HTMLButtonElement>(null)
  // A filter whose last value is taken away stays until its panel is closed.
  const [open, setOpen] = useState('')
  const remove = (kind: Kind) => {
    kind.clear()
    menu.current?.focus({ preventScroll: true })
  }
  return (
    <>
      <FilterMenu ref={menu} kinds={kinds} />
      {kinds
        .filter(({ name, value }) => value !== '' || name === open)
        .map((kind) => (
          <span key={kind.name} className={classes.chip}>
            <FilterButton
              name={kind.name}
              value={kind.value}
              {...(kind.width !== undefined && { width: kind.width })}
              joined
              onChange={(opened) => {
                setOpen(opened ? kind.name : '')
                if (!opened && kind.value === '') menu.current?.focus({ preventScroll: true })
              }}
              remove={() => remove(kind)}
            >
              {kind.panel}
            </FilterButton>
            <CloseButton
              className={classes.remove}
              size="sm"
              iconSize={14}
              aria-label={`Remove the filter ${kind.name}`}
              onClick={() => remove(kind)}
            />
          </span>
        ))}
    </>
  )
}
