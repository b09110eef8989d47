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
  children,
}: {
  name: string
  /** What passes, in a few words; "" for everything. */
  value: string
  width?: number
  children: (close: () => void) => ReactNode
}) {
  const [opened, setOpened] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const panel = useRef<HTMLDivElement>(null)
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
      onChange={setOpened}
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
          rightSection={<IconChevronDown size={14} aria-hidden />}
          fw={500}
          px={10}
          aria-haspopup="dialog"
          aria-expanded={opened}
          onClick={() => setOpened(!opened)}
          maw={260}
        >
          <span className={classes.words}>{value === '' ? name : `${name}: ${value}`}</span>
        </Button>
      </Popover.Target>
      <Popover.Dropdown ref={panel} p="sm" role="dialog" aria-label={name}>
        {children(() => setOpened(false))}
      </Popover.Dropdown>
    </Popover>
  )
}
