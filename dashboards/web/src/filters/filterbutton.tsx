import { Button, Popover } from '@mantine/core'
import { useDidUpdate } from '@mantine/hooks'
import { IconChevronDown } from '@tabler/icons-react'
import { useRef, useState, type ReactNode } from 'react'
import classes from './filters.module.css'

/** A filter's button: its name, what it lets through, and a panel in which that is changed. */
export function FilterButton({
  name,
  value,
  width = 260,
  joined = false,
  onChange,
  remove,
  children,
}: {
  name: string
  /** What passes, in a few words; "" for everything. */
  value: string
  width?: number
  /** Another button follows at its right edge. */
  joined?: boolean
  /** The panel was opened or closed. */
  onChange?: (opened: boolean) => void
  /** Removes the filter, which the keys Delete and Backspace do. */
  remove?: () => void
  children: (close: () => void) => ReactNode
}) {
  const [opened, setOpened] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const panel = useRef<HTMLDivElement>(null)
  const change = (open: boolean) => {
    setOpened(open)
    onChange?.(open)
  }
  // The focus returns to the button, unless a click has moved it. A panel that fades out would take it
  // again: its focus trap has timers.
  useDidUpdate(() => {
    const active = document.activeElement
    const left = active === null || active === document.body || panel.current?.contains(active) === true
    if (!opened && left) button.current?.focus({ preventScroll: true })
  }, [opened])
  return (
    <Popover
      opened={opened}
      onChange={change}
      position="bottom-start"
      width={width}
      shadow="md"
      trapFocus
      transitionProps={{ duration: 0 }}
      withRoles={false}
    >
      <Popover.Target>
        <Button
          ref={button}
          size="xs"
          variant={value === '' ? 'default' : 'light'}
          rightSection={joined ? undefined : <IconChevronDown size={14} aria-hidden />}
          fw={500}
          px={10}
          aria-haspopup="dialog"
          aria-expanded={opened}
          aria-keyshortcuts={remove === undefined ? undefined : 'Delete'}
          onClick={() => change(!opened)}
          onKeyDown={(event) => {
            if (remove === undefined || (event.key !== 'Delete' && event.key !== 'Backspace')) return
            event.preventDefault()
            remove()
          }}
          maw={260}
          className={joined ? classes.joined : undefined}
        >
          <span className={classes.words}>{value === '' ? name : `${name}: ${value}`}</span>
        </Button>
      </Popover.Target>
      <Popover.Dropdown ref={panel} p="sm" role="dialog" aria-label={name}>
        {children(() => change(false))}
      </Popover.Dropdown>
    </Popover>
  )
}
