import { Button, Checkbox, Group, Modal, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ProblemAlert } from '../components/problem'
import { counted, roundedMoney } from '../format/numbers'
import { billsQuery, closePeriod, type Bill } from './queries'
import { monthsOf, periodName } from './words'

/** Asks whether a period is to be closed, since a closed bill never changes. */
export function CloseDialog({
  bill,
  opened,
  close,
  closed,
}: {
  bill: Bill
  opened: boolean
  close: () => void
  closed: (bill: Bill) => void
}) {
  const earlier = bill.never_billed ?? []
  const [leaves, setLeaves] = useState(false)
  const client = useQueryClient()
  const closing = useMutation({
    mutationFn: () => closePeriod(bill.account, bill.period, leaves),
    // Not the preview, which is shown until the bill is: a closed period has none.
    onSuccess: () => void client.invalidateQueries({ queryKey: billsQuery.queryKey }),
  })
  const leave = () => {
    closing.reset()
    close()
  }
  return (
    <Modal
      opened={opened}
      onClose={leave}
      closeOnEscape={!closing.isPending}
      closeOnClickOutside={!closing.isPending}
      title={`Close ${periodName(bill.period)} of ${bill.account_name}?`}
      closeButtonProps={{ 'aria-label': 'Close', disabled: closing.isPending }}
      // The policy forbids the style by which it would lock the page.
      lockScroll={false}
    >
      <Stack gap="sm">
        <Text size="sm">
          {counted(bill.charges, 'charge')} and {counted(bill.corrections, 'correction')} are frozen as a bill
          of <b>{roundedMoney({ amount: bill.total, currency: bill.currency }, bill.minor_units)}</b>, or of
          what is stored by then. A closed bill never changes: what arrives or changes later becomes a
          correction in the next one.
        </Text>
        {bill.unpriced > 0 && (
          <Text size="sm">
            {counted(bill.unpriced, 'charge')} {bill.unpriced === 1 ? 'has' : 'have'} no price and{' '}
            {bill.unpriced === 1 ? 'is' : 'are'} billed once {bill.unpriced === 1 ? 'it has' : 'they have'}{' '}
            one.
          </Text>
        )}
        {earlier.length > 0 && (
          <>
            <Text size="sm">
              This is the account’s first bill. {counted(earlier.length, 'earlier month')} (
              {monthsOf(earlier)}) {earlier.length === 1 ? 'has' : 'have'} usage that no bill will hold
              afterwards. Close {earlier.length === 1 ? 'that month' : 'those months'} first to bill it.
            </Text>
            <Checkbox
              size="xs"
              label="Leave the earlier usage without a bill"
              checked={leaves}
              onChange={(event) => setLeaves(event.currentTarget.checked)}
            />
          </>
        )}
        {closing.error !== null && <ProblemAlert error={closing.error} />}
        <Group justify="flex-end" gap="xs">
          <Button size="xs" variant="default" onClick={leave} disabled={closing.isPending} data-autofocus>
            Cancel
          </Button>
          <Button
            size="xs"
            disabled={earlier.length > 0 && !leaves}
            loading={closing.isPending}
            // Who has left the page meanwhile stays where he is.
            onClick={() => closing.mutate(undefined, { onSuccess: closed })}
          >
            Close the period
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
