import { Anchor, Text, Title } from '@mantine/core'
import { Link } from 'wouter'
import { Time } from '../components/time'
import { count, exactMoney, money } from '../format/numbers'
import type { Column } from '../reports/column'
import { ReportTable } from '../reports/table'
import type { BillRow } from './queries'
import { periodName, whyText } from './words'

/** The rows that correct earlier bills, with why. */
export function CorrectionRows({
  rows,
  currency,
  all,
}: {
  rows: readonly BillRow[]
  currency: string
  /** How many there are. */
  all: number
}) {
  if (rows.length === 0) return null
  return (
    <>
      <Title order={2} size="h5">
        What changed since earlier bills
      </Title>
      <ReportTable
        label="What changed since earlier bills"
        columns={columnsFor(currency)}
        rows={rows}
        rowKey={({ ordinal }) => String(ordinal)}
      />
      {all > rows.length && (
        <Text size="sm" c="dimmed">
          The first {count(rows.length)} of {count(all)} rows.
        </Text>
      )}
    </>
  )
}

/** The address of a session at the frame that stated the usage. */
export function frameAddress({ session_id, position }: { session_id: string; position: string }): string {
  return `/sessions/${encodeURIComponent(session_id)}?t=${encodeURIComponent(position)}`
}

function columnsFor(currency: string): Column<BillRow>[] {
  return [
    {
      name: 'period',
      key: ({ charge_period }) => charge_period,
      cell: ({ charge_period }) => periodName(charge_period),
    },
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
    { name: 'why', key: ({ note }) => note, cell: ({ note }) => whyText[note] },
    { name: 'model', key: ({ model }) => model, cell: ({ model }) => model || 'unknown' },
    { name: 'unit', key: ({ unit }) => unit, cell: ({ unit }) => unit.replaceAll('_', ' ') },
    {
      name: 'quantity',
      figure: true,
      key: ({ quantity }) => Number(quantity),
      cell: ({ quantity }) => count(Number(quantity)),
    },
    {
      name: 'cost',
      figure: true,
      key: ({ billed_cost }) => (billed_cost === null ? null : Number(billed_cost)),
      cell: ({ billed_cost }) =>
        billed_cost === null ? (
          'no price'
        ) : (
          <span title={exactMoney({ amount: billed_cost, currency })}>
            {money({ amount: billed_cost, currency })}
          </span>
        ),
    },
  ]
}
