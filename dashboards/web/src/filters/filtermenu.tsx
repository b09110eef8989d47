import { Button, Popover } from '@mantine/core'
import { useDidUpdate, useMergedRef } from '@mantine/hooks'
import { IconFilterPlus } from '@tabler/icons-react'
import { useEffect, useRef, useState, type ReactNode, type Ref } from 'react'
import { fitting, PickList } from '../components/picklist'
import type { Kind } from './kind'

/** The button of a menu of all filters. What is picked there takes the menu's place. */
export function FilterMenu({ kinds, ref }: { kinds: readonly Kind[]; ref: Ref<HTMLButtonElement> }) {
  const [opened, setOpened] = useState(false)
  const [picked, pick] = useState<string | null>(null)
  const [text, type] = useState('')
  const button = useRef<HTMLButtonElement>(null)
  const merged = useMergedRef(ref, button)
  const change = (open: boolean) => {
    setOpened(open)
    if (!open) return
    pick(null)
    type('')
  }
  useDidUpdate(() => {
    if (!opened) button.current?.focus({ preventScroll: true })
  }, [opened])
  const kind = kinds.find(({ name }) => name === picked)
  const options = kinds.map(({ name, value }) => ({
    id: name,
    name,
    ...(value !== '' && { note: value }),
    pick: () => pick(name),
  }))
  return (
    <Popover
      opened={opened}
      onChange={change}
      position="bottom-start"
      width={kind?.width ?? 260}
      shadow="md"
      trapFocus
      transitionProps={{ duration: 0 }}
      withRoles={false}
    >
      <Popover.Target>
        <Button
          ref={merged}
          size="xs"
          variant="default"
          leftSection={<IconFilterPlus size={14} aria-hidden />}
          fw={500}
          px={10}
          aria-haspopup="dialog"
          aria-expanded={opened}
          onClick={() => change(!opened)}
        >
          Filter
        </Button>
      </Popover.Target>
      <Popover.Dropdown p="sm" role="dialog" aria-label={kind?.name ?? 'Filter'}>
        {kind === undefined ? (
          <PickList
            label="Filters"
            placeholder="Find a filter"
            text={text}
            type={type}
            options={fitting(options, text)}
            empty="There is no such filter."
          />
        ) : (
          <Focused key={kind.name}>{kind.panel(() => change(false))}</Focused>
        )}
      </Popover.Dropdown>
    </Popover>
  )
}

/** Takes the focus to the first control of a panel. */
function Focused({ children }: { children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const first =
      place.current?.querySelector<HTMLElement>('[data-autofocus]') ??
      place.current?.querySelector<HTMLElement>('input, button')
    first?.focus()
  }, [])
  return <div ref={place}>{children}</div>
}
