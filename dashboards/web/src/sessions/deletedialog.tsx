import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { accepted, api } from '../api/client'
import { useFocusReturn } from '../components/focusreturn'
import { ProblemAlert } from '../components/problem'
import { counted } from '../format/numbers'
import type { Session } from './rows'

/** Deletes sessions by one erasure, once that is confirmed. After an error all can be deleted again. */
export default function DeleteDialog({
  sessions,
  deleted,
  close,
}: {
  sessions: readonly Session[]
  /** All are deleted. */
  deleted: () => void
  close: () => void
}) {
  useFocusReturn()
  const client = useQueryClient()
  const deleting = useMutation({
    mutationFn: () =>
      // Another page may have deleted some of them meanwhile: then nothing of those may be stored.
      accepted(api.POST('/v1/erasures', { body: { sessions: sessions.map(({ id }) => id), unknown: true } })),
    onSuccess: () => {
      deleted()
      close()
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['sessions'] }),
  })
  const open = sessions.filter(({ status }) => status === 'running' || status === 'quiet').length
  const frames = sessions.reduce((sum, session) => sum + session.frames, 0)
  return (
    <Modal
      opened
      onClose={close}
      title={`Delete ${counted(sessions.length, 'session')}`}
      closeOnEscape={!deleting.isPending}
      closeOnClickOutside={!deleting.isPending}
      closeButtonProps={{ 'aria-label': 'Close' }}
      transitionProps={{ duration: 0 }}
      // The policy forbids the style by which it would lock the page.
      lockScroll={false}
    >
      <Stack gap="sm">
        <Text size="sm">
          This deletes {counted(sessions.length, 'session')}: {counted(frames, 'frame')}, messages, tool calls
          and usage, also in reports. It cannot be undone. Rows of closed bills, and entries in the audit log,
          remain.
        </Text>
        {open > 0 && (
          <Text size="sm">
            {counted(open, 'session')} {open === 1 ? 'is' : 'are'} still being recorded. What arrives later is
            dropped.
          </Text>
        )}
        {deleting.error !== null && <ProblemAlert error={deleting.error} />}
        <Group justify="flex-end" gap="xs">
          <Button size="xs" variant="default" onClick={close} disabled={deleting.isPending} data-autofocus>
            Cancel
          </Button>
          <Button size="xs" color="red.9" loading={deleting.isPending} onClick={() => deleting.mutate()}>
            Delete {counted(sessions.length, 'session')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
