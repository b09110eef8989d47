import { Button, Group, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import { accepted, api } from '../../api/client'
import { ProblemAlert } from '../../components/problem'
import { counted } from '../../format/numbers'
import { useServerAddress } from '../../login/queries'
import { isOpen } from '../standing'
import { command } from './commands'
import { MenuDialog, SameByCommand } from './dialog'
import type { DialogProps } from './props'

/** Deletes a session once that is confirmed, and leaves its page. */
export default function DeleteDialog({ session, close }: DialogProps) {
  const server = useServerAddress()
  const client = useQueryClient()
  const [, navigate] = useLocation()
  const deleting = useMutation({
    mutationFn: () => accepted(api.DELETE('/v1/sessions/{id}', { params: { path: { id: session.id } } })),
    onSuccess: () => void client.invalidateQueries({ queryKey: ['sessions'] }),
  })
  // Who has left the page meanwhile stays where he is.
  const remove = () => deleting.mutate(undefined, { onSuccess: () => navigate('/') })
  return (
    <MenuDialog title="Delete this session" close={close} busy={deleting.isPending}>
      <Text size="sm">
        This deletes <b>{session.title === '' ? session.id : session.title}</b>: its{' '}
        {counted(session.frames, 'frame')}, messages, tool calls and usage, also in reports. It cannot be
        undone. Rows of closed bills, and an entry in the audit log, remain.
      </Text>
      {isOpen(session) && (
        <Text size="sm">It is still being recorded. What arrives of it later is dropped.</Text>
      )}
      {deleting.error !== null && <ProblemAlert error={deleting.error} />}
      <Group justify="flex-end" gap="xs">
        <Button size="xs" variant="default" onClick={close} disabled={deleting.isPending} data-autofocus>
          Cancel
        </Button>
        <Button size="xs" color="red.9" loading={deleting.isPending} onClick={remove}>
          Delete the session
        </Button>
      </Group>
      <SameByCommand text={command('erase', server, session.id)} what="the command that deletes" />
    </MenuDialog>
  )
}
