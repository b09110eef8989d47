import { Button, Popover } from '@mantine/core'
import { IconChevronDown } from '@tabler/icons-react'
import { useState, type ReactNode } from 'react'
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
  return (
    <Popover
      opened={opened}
      onChange={setOpened}
      position="bottom-start"
      width={width}
      shadow="md"
      trapFocus
      returnFocus
      withRoles={false}
    >
      <Popover.Target>
        <Button
          size="xs"
          variant={value === '' ? 'default' : 'light'}
          rightSection={<IconChevronDown size={14} aria-hidden />}
          fw={500}
          aria-haspopup="dialog"
          aria-expanded={opened}
          onClick={() => setOpened(!opened)}
          maw={260}
        >
          <span className={classes.words}>{value === '' ? name : `${name}: ${value}`}</span>
        </Button>
      </Popover.Target>
      <Popover.Dropdown p="sm" role="dialog" aria-label={name}>
        {children(() => setOpened(false))}
      </Popover.Dropdown>
    </Popover>
  )
}
