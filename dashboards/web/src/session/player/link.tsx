import { ActionIcon, Tooltip } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { IconCheck, IconLink } from '@tabler/icons-react'
import { hasAddress } from '../urlsearch'
import { addressOf } from './address'
import { usePlayer } from './context'

/** Copies an address that opens the session at the moment there is when it is pressed. */
export function CopyMoment() {
  const player = usePlayer()
  const { copy, copied } = useClipboard()
  if (!hasAddress) return null
  return (
    <Tooltip label={copied ? 'Copied' : 'Copy a link to this moment'}>
      <ActionIcon
        variant="subtle"
        color={copied ? 'teal' : 'gray'}
        size="lg"
        aria-label="Copy a link to this moment"
        onClick={() => copy(addressOf(location.href, player.state().offset))}
      >
        {copied ? <IconCheck size={18} /> : <IconLink size={18} />}
      </ActionIcon>
    </Tooltip>
  )
}
