import { Alert, Anchor, Text } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react'
import { Link } from 'wouter'
import { Time } from '../components/time'
import { sumOf } from '../format/decimal'
import { count, counted, exactMoney, money } from '../format/numbers'
import type { Column } from '../reports/column'
import { ReportTable } from '../reports/table'
import { frameAddress } from './corrections'
import type { Verification } from './queries'
import { whyText } from './words'

type Difference = Verification['differences'][number]

/** What differs between a closed bill and what is stored now. */
export function VerificationResult({ result, currency }: { result: Verification; currency: string }) {
  const { equal, defects, differences, counts, frames, rows } = result
  const decoded = `The frames of ${counted(frames.sessions, 'session')} of ${count(frames.of)} were decoded anew${
    frames.failed.length === 0 ? '' : `, of ${count(frames.failed.length)} they could not be`
  }.${
    frames.expired_sessions === 0
      ? ''
      : ` Those of ${counted(frames.expired_sessions, 'session')} have expired: ${counted(frames.expired_charges, 'charge stands', 'charges stand')} as billed.`
  }`
  if (equal)
    return (
      <Alert color="teal" variant="light" icon={<IconCircleCheck />} p="sm" role="status">
        All {counted(rows, 'row')} are as they were closed, and computed anew they are the same. {decoded}
      </Alert>
    )
  const why = Object.entries(counts)
    .map(
      ([reason, charges]) =>
        `${counted(charges, 'charge')}: ${whyText[reason as Difference['why']] || reason}`,
    )
    .join('; ')
  return (
    <>
      <Alert
        color={defects.length > 0 ? 'red' : 'yellow'}
        variant="light"
        icon={<IconAlertTriangle />}
        p="sm"
        role="status"
      >
        {defects.length > 0 && <Text size="sm">The stored rows are damaged: {defects.join('; ')}.</Text>}
        {why !== '' && (
          <Text size="sm">
            Computed anew, charges differ: {why}. What differs is corrected in the next bill.
          </Text>
        )}
        {frames.differences.length > 0 && (
          <Text size="sm">
            Decoded anew, {counted(frames.differences.length, 'charge differs', 'charges differ')} from what
            is stored.
          </Text>
        )}
        <Text size="sm">{decoded}</Text>
      </Alert>
      {differences.length > 0 && (
        <ReportTable
          label="Differences"
          columns={columnsFor(currency)}
          rows={differences}
          rowKey={({ charge_id }) => charge_id}
        />
      )}
    </>
  )
}

function columnsFor(currency: string): Column<Difference>[] {
  return [
    {
      name: 'session',
      key: ({ session_id }) => session_id,
      cell: (row) => (
        <Anchor component={Link} href={frameAddress(row)} inherit>
          {row.session_id}
        </Anchor>
      ),
    },
    { name: 'at', key: ({ at }) => at, cell: ({ at }) => <Time at={at} /> },
    { name: 'why', key: ({ why }) => why, cell: ({ why }) => whyText[why] },
    {
      name: 'units',
      key: ({ items }) => items.length,
      cell: ({ items }) =>
        items
          .map(
            ({ unit, quantity }) =>
              `${quantity > 0 ? '+' : ''}${count(quantity)} ${unit.replaceAll('_', ' ')}`,
          )
          .join(', '),
    },
    {
      name: 'cost',
      hint: 'Now less what was billed.',
      figure: true,
      key: (row) => Number(costOf(row)),
      cell: (row) => {
        const amount = { amount: costOf(row), currency }
        return <span title={exactMoney(amount)}>{money(amount)}</span>
      },
    },
    {
      name: 'corrected in',
      key: ({ corrected_in }) => corrected_in.join(', '),
      cell: ({ corrected_in, settled }) =>
        corrected_in
          .map((number, i) => (
            <span key={number}>
              {i > 0 && ', '}
              <Anchor component={Link} href={`/bills?number=${encodeURIComponent(number)}`} inherit>
                {number}
              </Anchor>
            </span>
          ))
          .concat(
            settled ? [] : [<span key="next">{corrected_in.length > 0 ? ', ' : ''}the next bill</span>],
          ),
    },
  ]
}

function costOf({ items }: Difference): string {
  return sumOf(items.flatMap(({ cost }) => cost ?? []))
}
