import { NativeSelect, Stack, Switch, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Command } from '../../components/command'
import { clock } from '../../format/duration'
import { loginQuery, useServerAddress } from '../../login/queries'
import { usePlayer } from '../player/context'
import { isOpen } from '../standing'
import { curlCommand, playCommand, replayAddress } from './commands'
import { expiredText, MenuDialog, SameByCommand } from './dialog'
import type { DialogProps } from './props'

const speeds = ['0.5', '1', '2', '10', '100', 'max']

/** The address that plays the session to other programs. */
export default function ReplayDialog({ session, close }: DialogProps) {
  const server = useServerAddress()
  const player = usePlayer()
  const tokens = useQuery({ ...loginQuery, enabled: false }).data?.tokens ?? false
  const [moment] = useState(() => player.state().offset)
  const [speed, setSpeed] = useState('1')
  const [here, setHere] = useState(false)
  const open = isOpen(session)
  const [follow, setFollow] = useState(open)
  const wish = { speed, from: here ? moment : 0, follow: open && follow }
  const address = replayAddress(server, session.id, wish)
  const expired = expiredText(session, 'It cannot be played.')
  return (
    <MenuDialog title="Replay into my UI" close={close}>
      {expired !== null ? (
        <Text size="sm">{expired}</Text>
      ) : (
        <>
          <Text size="sm">
            The address plays the frames at their recorded times: as server-sent events, as lines with{' '}
            <code>Accept: application/x-ndjson</code>, or over a WebSocket.
          </Text>
          <NativeSelect
            label="Speed"
            data={speeds.map((value) => ({
              value,
              label: value === 'max' ? 'as fast as possible' : `${value}×`,
            }))}
            value={speed}
            onChange={(event) => setSpeed(event.currentTarget.value)}
            data-autofocus
          />
          <Switch
            size="xs"
            label={`From the player’s moment, ${clock(moment)}`}
            checked={here}
            onChange={(event) => setHere(event.currentTarget.checked)}
          />
          {open && (
            <Switch
              size="xs"
              label="Go on live when it has caught up"
              checked={follow}
              onChange={(event) => setFollow(event.currentTarget.checked)}
            />
          )}
          <Command text={address} what="the replay address" />
          <Text size="xs" c="dimmed">
            A page of this server reads it as it is. A page of another origin, such as a UI in development,
            needs a server with <code>--tokens</code> and <code>--allow-origin</code> of that origin
            {tokens ? ', and a token or a ticket with each request' : '; this one has no tokens'}.
          </Text>
          <Stack gap={4}>
            <Text size="xs" c="dimmed">
              By curl{tokens && ', with a token in TAPEDECK_TOKEN'}:
            </Text>
            <Command text={curlCommand(address, tokens)} what="the request by curl" />
          </Stack>
          <SameByCommand text={playCommand(server, session.id, wish)} what="the command that plays" />
        </>
      )}
    </MenuDialog>
  )
}
