import { Stack, Text } from '@mantine/core'
import { IconDeviceAudioTape } from '@tabler/icons-react'
import { Command } from '../components/command'
import { Empty } from '../components/empty'
import { useServerAddress } from '../login/queries'
import { ToRecord } from '../components/torecord'

/** Stands where the list would, while nothing was ever recorded. */
export default function FirstSession() {
  const address = useServerAddress()
  return (
    <Empty title="Nothing is recorded yet" icon={<IconDeviceAudioTape size={40} stroke={1.25} />}>
      <Stack gap="sm" mt={4}>
        <Text size="sm">This records what coding agents keep on your machine:</Text>
        <Command text={`tapedeck sync --server ${address}`} what="the command that records them" />
        <Text size="sm">
          Commands, files, URLs, WebSockets and what an application talks to:{' '}
          <ToRecord>all ways to record</ToRecord>.
        </Text>
      </Stack>
    </Empty>
  )
}
