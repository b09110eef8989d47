import { Button, Group, NativeSelect, Text } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useState } from 'react'
import { bytes, counted } from '../../format/numbers'
import { useServerAddress } from '../../login/queries'
import { exportCommand, type Format, formats } from './commands'
import { expiredText, MenuDialog, SameByCommand } from './dialog'
import type { DialogProps } from './props'

/** Downloads the session as a tape; the command writes other formats, too. */
export default function ExportDialog({ session, close }: DialogProps) {
  const server = useServerAddress()
  const [format, setFormat] = useState<Format>('tape')
  const expired = expiredText(session, 'There is nothing left to export.')
  return (
    <MenuDialog title="Export this session" close={close}>
      {expired !== null ? (
        <Text size="sm">{expired}</Text>
      ) : (
        <>
          <Text size="sm">
            A tape is everything that is recorded of a session, to the byte and the nanosecond:{' '}
            {counted(session.frames, 'frame')}, {bytes(session.bytes)}. <code>tapedeck play</code> and{' '}
            <code>tapedeck import</code> read it without this server.
          </Text>
          <Group>
            <Button
              size="xs"
              variant="light"
              component="a"
              href={`/v1/sessions/${encodeURIComponent(session.id)}/tape`}
              download
              leftSection={<IconDownload size={14} />}
              data-autofocus
            >
              Download the tape
            </Button>
          </Group>
          <NativeSelect
            label="Format of the command"
            data={formats.map(({ value, label }) => ({ value, label }))}
            value={format}
            onChange={(event) => setFormat(event.currentTarget.value as Format)}
          />
          <SameByCommand text={exportCommand(server, session.id, format)} what="the command that exports" />
        </>
      )}
    </MenuDialog>
  )
}
