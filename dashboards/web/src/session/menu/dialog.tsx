import { Modal, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Schemas } from '../../api/client'
import { Command } from '../../components/command'
import { shortTime } from '../../format/moment'
import { loginQuery } from '../../login/queries'

/** The frame of a dialog of the session's menu. While it is busy it stays open. */
export function MenuDialog(props: { title: string; close: () => void; busy?: boolean; children: ReactNode }) {
  const { busy = false } = props
  return (
    <Modal
      opened
      onClose={props.close}
      title={props.title}
      closeOnEscape={!busy}
      closeOnClickOutside={!busy}
      size="lg"
      closeButtonProps={{ 'aria-label': 'Close', disabled: busy }}
      transitionProps={{ duration: 0 }}
      // The policy forbids the style by which it would lock the page.
      lockScroll={false}
    >
      <Stack gap="sm">{props.children}</Stack>
    </Modal>
  )
}

/** A command that does the same, and where it finds its token. */
export function SameByCommand({ text, what }: { text: string; what: string }) {
  const tokens = useQuery({ ...loginQuery, enabled: false }).data?.tokens ?? false
  return (
    <Stack gap={4}>
      <Text size="xs" c="dimmed">
        By command{tokens && ', with a token in TAPEDECK_TOKEN'}:
      </Text>
      <Command text={text} what={what} />
    </Stack>
  )
}

/** The text in place of what needs frames, for a session whose frames expired; null for others. */
export function expiredText(
  { frames_expired_at: at }: Schemas['SessionDetail'],
  what: string,
): string | null {
  return at === undefined ? null : `The frames of this session expired on ${shortTime(at)}. ${what}`
}
