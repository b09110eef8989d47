import { ActionIcon, Tooltip } from '@mantine/core'
import { IconListSearch } from '@tabler/icons-react'
import { useFind } from './context'

/** Opens the field that finds words in the session. */
export function FindButton() {
  const { open } = useFind()
  return (
    <Tooltip label="Find in this session (F)">
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label="Find words in this session"
        aria-keyshortcuts="f Control+f"
        onClick={open}
      >
        <IconListSearch size={18} />
      </ActionIcon>
    </Tooltip>
  )
}
