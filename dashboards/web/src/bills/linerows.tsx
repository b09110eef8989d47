import { Anchor, Skeleton, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { NextPage } from '../components/nextpage'
import { ProblemAlert } from '../components/problem'
import { Time } from '../components/time'
import { sumOf } from '../format/decimal'
import { count, exactMoney, money } from '../format/numbers'
import { perText, unitAmount } from '../prices/price'
import type { Column } from '../reports/column'
import { ReportTable } from '../reports/table'
import { frameAddress } from './corrections'
import { rowsQuery, type Bill, type BillLine, type BillRow } from './queries'
import { whyText } from './words'

/** The charges of a line of a bill, each with a link to the frame that stated the usage. */
export function LineRows({ bill, line, label }: { bill: Bill; line: BillLine; label: string }) {
  const list = useInfiniteQuery(rowsQuery(bill, line))
  const rows = list.data?.pages.flatMap(({ items }) => items) ?? []
  const all = list.data?.pages.at(-1)?.count ?? 0
  return (
    <>
      {list.error !== null && <ProblemAlert error={list.error} again={() => void list.refetch()} />}
      {list.isPending && <Skeleton height={76} radius="md" />}
      {list.data !== undefined && (
        <>
          <ReportTable
            label={label}
            columns={columnsFor(bill, line, rows, rows.length === all)}
            rows={rows}
            rowKey={({ ordinal }) => String(ordinal)}
          />
          {rows.length < all && (
            <Text size="sm" c="dimmed">
              The first {count(rows.length)} of {count(all)} charges.
            </Text>
          )}
          <NextPage list={list}>Load more charges</NextPage>
        </>
      )}
    </>
  )
}

/** The columns of the rows, with totals if all rows of the line are there. */
function columnsFor(
  { currency }: Bill,
  { class: kind, unpriced }: BillLine,
  rows: readonly BillRow[],
  complete: boolean,
): Column<BillRow>[] {
  const cost = (amount: string) => (
    <span title={exactMoney({ amount, currency })}>{money({ amount, currency })}</span>
  )
  return [
    {
      name: 'session',
      hint: 'Leads to the frame that stated the usage.',
      key: ({ session_id }) => session_id,
      cell: (row) => (
        <Anchor component={Link} href={frameAddress(row)} inherit>
          {row.session_id}
        </Anchor>
      ),
    },
    { name: 'at', key: ({ at }) => at, cell: ({ at }) => <Time at={at} /> },
    ...(kind === ''
      ? []
      : [{ name: 'why', key: ({ note }: BillRow) => note, cell: ({ note }: BillRow) => whyText[note] }]),
    {
      name: 'quantity',
      figure: true,
      key: ({ quantity }) => Number(quantity),
      cell: ({ quantity }) => count(Number(quantity)),
      ...(complete && { total: count(Number(sumOf(rows.map(({ quantity }) => quantity)))) }),
    },
    ...(unpriced
      ? [
          {
            name: 'no price',
            hint: 'Why there is none.',
            key: ({ unpriced_reason }: BillRow) => unpriced_reason,
            cell: ({ unpriced_reason }: BillRow) => unpriced_reason.replaceAll('_', ' '),
          },
        ]
      : [
          {
            name: 'price',
            figure: true,
            key: ({ price }: BillRow) => Number(price),
            cell: ({ price, per, unit }: BillRow) => (
              <span title={`for ${perText({ per, unit })}`}>
                {price !== null && unitAmount(price, currency)}
              </span>
            ),
          },
          {
            name: 'cost',
            hint: 'Exact; the line is rounded.',
            figure: true,
            key: ({ billed_cost }: BillRow) => Number(billed_cost),
            cell: ({ billed_cost }: BillRow) => billed_cost !== null && cost(billed_cost),
            ...(complete && { total: cost(sumOf(rows.flatMap(({ billed_cost }) => billed_cost ?? []))) }),
          },
        ]),
  ]
}
