import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { answered, api, type Schemas } from '../../api/client'
import { ProblemAlert } from '../../components/problem'
import { counted } from '../../format/numbers'
import { shellWord } from '../../format/shell'
import { useServerAddress } from '../../login/queries'
import { facetsQuery } from '../../filters/queries'
import { isOpen } from '../standing'
import { command } from './commands'
import { expiredText, MenuDialog, SameByCommand } from './dialog'
import type { DialogProps } from './props'

/** Derives the facts of a session anew from its frames. */
export default function RedecodeDialog({ session, close }: DialogProps) {
  const server = useServerAddress()
  const client = useQueryClient()
  const facets = useQuery(facetsQuery)
  const [dialect, setDialect] = useState('')
  const decoding = useMutation({
    mutationFn: () =>
      answered(
        api.POST('/v1/sessions/{id}/redecode', {
          params: { path: { id: session.id }, query: dialect === '' ? {} : { dialect } },
        }),
      ),
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: ['session', session.id] }),
        client.invalidateQueries({ queryKey: ['frames', session.id] }),
      ]),
  })
  const known = [...new Set([...session.dialects, ...(facets.data?.dialects ?? [])])].sort()
  const refused =
    expiredText(session, 'It cannot be decoded again.') ??
    (isOpen(session) ? 'It is still being recorded. It can be decoded again when it has ended.' : null)
  return (
    <MenuDialog title="Decode this session again" close={close}>
      <Text size="sm">
        Its runs, messages, tool calls and usage are derived anew from the stored frames, which stay as they
        are.
      </Text>
      {refused !== null ? (
        <Text size="sm">{refused}</Text>
      ) : (
        <>
          <NativeSelect
            label="Dialect"
            data={[
              { value: '', label: 'as each stream is recognised' },
              ...known.map((name) => ({ value: name, label: name })),
            ]}
            value={dialect}
            onChange={(event) => setDialect(event.currentTarget.value)}
            data-autofocus
          />
          {decoding.error !== null && <ProblemAlert error={decoding.error} />}
          {decoding.data !== undefined && <Outcome of={decoding.data} />}
          <Group justify="flex-end" gap="xs">
            <Button size="xs" variant="default" onClick={close}>
              Close
            </Button>
            <Button size="xs" variant="light" loading={decoding.isPending} onClick={() => decoding.mutate()}>
              Decode again
            </Button>
          </Group>
          <SameByCommand
            text={command(
              'redecode',
              server,
              session.id,
              dialect === '' ? '' : ` --dialect ${shellWord(dialect)}`,
            )}
            what="the command that decodes again"
          />
        </>
      )}
    </MenuDialog>
  )
}

/** What each stream came to. */
function Outcome({ of: { streams } }: { of: Schemas['Redecoded'] }) {
  return (
    <Stack gap={2} role="status">
      {streams.map(({ stream_id, dialect_before, dialect_after, frames, spans, messages }) => (
        <Text key={stream_id} size="sm">
          {dialect_before === dialect_after
            ? `Decoded as ${dialect_after}: `
            : `Decoded as ${dialect_after}, no more as ${dialect_before}: `}
          {counted(frames, 'frame')}, {counted(spans, 'span')}, {counted(messages, 'message')}.
        </Text>
      ))}
    </Stack>
  )
}
