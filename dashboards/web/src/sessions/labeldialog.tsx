import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useFocusReturn } from '../components/focusreturn'
import { counted } from '../format/numbers'
import { type Change, labelAll, type Labelled, unlabelled } from './labelling'
import type { Session } from './rows'

/** Puts a label on sessions, or removes it from them. Those that failed are listed and can be tried again. */
export default function LabelDialog({
  sessions,
  close,
}: {
  sessions: readonly Session[]
  close: () => void
}) {
  useFocusReturn()
  const client = useQueryClient()
  const [label, setLabel] = useState('')
  const [result, setResult] = useState<Labelled & { change: Change; label: string }>()
  const running = useRef(new AbortController())
  useEffect(() => () => running.current.abort(), [])
  const labelling = useMutation({
    mutationFn: async (change: Change) => {
      running.current = new AbortController()
      const name = label.trim()
      const show = (sofar: Labelled) => setResult({ ...sofar, change, label: name })
      show(unlabelled)
      await labelAll(
        sessions.map(({ id }) => id),
        change,
        name,
        running.current.signal,
        show,
      )
    },
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: ['sessions'] }),
        client.invalidateQueries({ queryKey: ['session'] }),
      ]),
  })
  const wrong = wrongLabel(label.trim())
  const unfit = label.trim() === '' || wrong !== undefined
  return (
    <Modal
      opened
      onClose={close}
      title={`Label ${counted(sessions.length, 'session')}`}
      closeOnEscape={!labelling.isPending}
      closeOnClickOutside={!labelling.isPending}
      closeButtonProps={{ 'aria-label': 'Close' }}
      transitionProps={{ duration: 0 }}
      // The policy forbids the style by which it would lock the page.
      lockScroll={false}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (!unfit) labelling.mutate('add')
        }}
      >
        <Stack gap="sm">
          <TextInput
            label="Label"
            placeholder="triage"
            description="Notes have the labels; the filter Label of the list selects by them."
            error={wrong}
            value={label}
            onChange={(event) => setLabel(event.currentTarget.value)}
            maxLength={64}
            disabled={labelling.isPending}
            data-autofocus
          />
          <Text size="sm" role="status" aria-label="Result">
            {result !== undefined && described(result)}
          </Text>
          {result !== undefined && result.failed.length > 0 && (
            <ul aria-label="Failed">
              {result.failed.slice(0, failedShown).map(({ id, error }) => (
                <li key={id}>
                  <Text size="sm" c="var(--text-error)">
                    {id}: {error.message}
                  </Text>
                </li>
              ))}
              {result.failed.length > failedShown && (
                <li>
                  <Text size="sm">and {counted(result.failed.length - failedShown, 'session')} more</Text>
                </li>
              )}
            </ul>
          )}
          <Group justify="flex-end" gap="xs">
            <Button
              size="xs"
              variant="default"
              onClick={() => (labelling.isPending ? running.current.abort() : close())}
            >
              {labelling.isPending ? 'Stop' : 'Close'}
            </Button>
            <Button
              size="xs"
              variant="default"
              disabled={unfit || labelling.isPending}
              onClick={() => labelling.mutate('remove')}
            >
              Remove the label
            </Button>
            <Button size="xs" type="submit" disabled={unfit} loading={labelling.isPending}>
              Add the label
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

/** What is wrong with a label; it becomes part of a path. */
function wrongLabel(label: string): string | undefined {
  if (label.includes(',')) return 'A label has no comma: one at a time.'
  return label === '.' || label === '..' ? 'Dots alone are no label.' : undefined
}

/** How many of the sessions that failed are listed. */
const failedShown = 5

/** What became of the sessions, in words. */
function described({
  change,
  label,
  changed,
  unchanged,
  failed,
}: Labelled & { change: Change; label: string }): string {
  const parts = [
    change === 'add'
      ? `“${label}” added to ${counted(changed, 'session')}`
      : `“${label}” removed from ${counted(changed, 'session')}`,
  ]
  if (unchanged > 0)
    parts.push(`${counted(unchanged, 'session')} ${change === 'add' ? 'had it' : 'did not have it'} before`)
  if (failed.length > 0) parts.push(`${counted(failed.length, 'session')} failed; try again`)
  return `${parts.join(', ')}.`
}
