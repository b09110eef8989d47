import { Anchor, Stack, Text } from '@mantine/core'
import { IconDeviceAudioTape } from '@tabler/icons-react'
import { Link } from 'wouter'
import { Command } from '../components/command'
import { Empty } from '../components/empty'

/** Stands where the list would, while nothing was ever recorded. */
export function FirstSession() {
  return (
    <Empty title="Nothing is recorded yet" icon={<IconDeviceAudioTape size={40} stroke={1.25} />}>
      <Stack gap="sm" mt={4}>
        <Text size="sm">Any command that prints a stream can be recorded. This one plays the demo:</Text>
        <Command
          text={`tapedeck record --server ${location.origin} \\\n  -- tapedeck play demo --format ndjson`}
          what="the command that records"
        />
        <Text size="sm">
          Files, URLs, WebSockets and what an application talks to:{' '}
          <Anchor component={Link} href="/record" underline="always">
            all ways to record
          </Anchor>
          .
        </Text>
      </Stack>
    </Empty>
  )
}
