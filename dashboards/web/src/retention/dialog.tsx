import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useFocusReturn } from '../components/focusreturn'
import { ProblemAlert } from '../components/problem'
import { bytes, counted } from '../format/numbers'
import { otherQuery, setPolicy, type Limits, type Policy } from './queries'
import { bytesOf, daysText, isBilling, kindText, leastBilling, secondsOf, sizeText } from './words'

/** Changes the policy of a kind, and shows first what expires by it. */
export function PolicyDialog({ policy, close }: { policy: Policy; close: () => void }) {
  useFocusReturn()
  const { kind } = policy
  const [days, setDays] = useState(daysText(policy.max_age_s))
  const [size, setSize] = useState(sizeText(policy.max_bytes))
  const [age, most] = [secondsOf(days), isBilling(kind) ? null : bytesOf(size)]
  const tooShort = isBilling(kind) && typeof age === 'number' && age < leastBilling * 86400
  const limits: Limits | null =
    age === undefined || most === undefined || tooShort ? null : { kind, max_age_s: age, max_bytes: most }
  const queries = useQueryClient()
  const setting = useMutation({
    mutationFn: setPolicy,
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ['retention'] })
      close()
    },
  })
  return (
    <Modal
      opened
      onClose={close}
      title={`Keep ${kind}`}
      closeButtonProps={{ 'aria-label': 'Close' }}
      // The policy forbids the style by which it would lock the page.
      lockScroll={false}
    >
      <Stack gap="sm">
        <Text size="sm">{kindText[kind]}</Text>
        <TextInput
          label="For days"
          description="Empty: no limit."
          value={days}
          onChange={(event) => setDays(event.currentTarget.value)}
          error={
            age === undefined
              ? 'It must be a number above 0.'
              : tooShort && `It must be ${leastBilling} or more: 13 months.`
          }
          inputMode="decimal"
          data-autofocus
        />
        {!isBilling(kind) && (
          <TextInput
            label="Up to GB"
            description="Empty: no limit."
            value={size}
            onChange={(event) => setSize(event.currentTarget.value)}
            error={most === undefined && 'It must be a number above 0.'}
            inputMode="decimal"
          />
        )}
        {limits !== null && kind !== 'bills' && <Effect limits={limits} />}
        {setting.error !== null && <ProblemAlert error={setting.error} />}
        <Group justify="flex-end" gap="xs">
          <Button size="xs" variant="default" onClick={close}>
            Cancel
          </Button>
          <Button
            size="xs"
            disabled={limits === null}
            loading={setting.isPending}
            onClick={() => limits !== null && setting.mutate(limits)}
          >
            Set
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

/** What expires by limits that are not set yet. */
function Effect({ limits }: { limits: Limits }) {
  const { data, error } = useQuery(otherQuery(limits))
  if (error !== null) return <ProblemAlert error={error} />
  const preview = data?.items[0]
  const due = preview?.due
  if (due === undefined) return null
  const bills = due.bills ?? 0
  return (
    <Text size="sm" role="status">
      {due.sessions + bills === 0 ? (
        'Nothing expires by it now.'
      ) : (
        <>
          {preview?.due_more === true && 'More than '}
          <b>{bills > 0 ? counted(bills, 'bill') : counted(due.sessions, 'session')}</b>, {bytes(due.bytes)},
          expire within five minutes.
        </>
      )}
    </Text>
  )
}
