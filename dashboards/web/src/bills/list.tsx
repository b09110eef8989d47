import { Anchor, Skeleton, Text, Title } from '@mantine/core'
import { IconReceipt } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { Empty } from '../components/empty'
import { ProblemAlert } from '../components/problem'
import { Time } from '../components/time'
import { ToRecord } from '../components/torecord'
import { count, counted, exactMoney, money, roundedMoney } from '../format/numbers'
import classes from '../reports/page.module.css'
import type { Column } from '../reports/column'
import { ReportTable } from '../reports/table'
import { useTitle } from '../components/title'
import { billsQuery, type BillList, type BillPeriod } from './queries'
import { StateBadge } from './statebadge'
import { billAddress, monthsOf, periodName } from './words'

/** The periods of billing accounts: open, draft and closed. */
export function BillsList() {
  useTitle('Bills')
  const bills = useQuery(billsQuery)
  const { data } = bills
  return (
    <div className={classes.page} data-ready={bills.isSuccess || undefined}>
      <Title order={1} size="h3">
        Bills
      </Title>
      {bills.error !== null && <ProblemAlert error={bills.error} again={() => void bills.refetch()} />}
      {bills.isPending && <Skeleton height={320} radius="md" />}
      {data !== undefined && data.items.length + data.unbilled.length === 0 && (
        <Empty title="Nothing to bill yet" icon={<IconReceipt size={36} stroke={1.25} />}>
          No recorded call used tokens. <ToRecord>Record a source</ToRecord> that reports its usage. Accounts
          are listed in the price file; without a list there is one for all.
        </Empty>
      )}
      {data !== undefined && data.items.length > 0 && (
        <>
          <ReportTable
            label="Periods of accounts"
            columns={columns}
            rows={data.items}
            rowKey={({ account, period, number }) => `${account} ${period} ${number ?? ''}`}
          />
          <Text size="sm" c="dimmed">
            Amounts of open periods and drafts are what is stored and priced now, without corrections of
            earlier bills: the preview has these.
          </Text>
        </>
      )}
      {data !== undefined && <Unbilled unbilled={data.unbilled} />}
      {data !== undefined && data.never_billed.length > 0 && (
        <Text size="sm" c="dimmed">
          No bill holds the usage of {monthsOf(data.never_billed)}: the first bill of its account is of a
          later month.
        </Text>
      )}
    </div>
  )
}

const columns: Column<BillPeriod>[] = [
  {
    name: 'period',
    key: ({ period }) => period,
    cell: (row) => (
      <Anchor component={Link} href={billAddress(row)} inherit fw={500}>
        {periodName(row.period)}
      </Anchor>
    ),
  },
  {
    name: 'account',
    key: ({ account_name }) => account_name,
    cell: ({ account, account_name }) => <span title={account}>{account_name}</span>,
  },
  { name: 'state', late: true, key: ({ state }) => state, cell: ({ state }) => <StateBadge state={state} /> },
  { name: 'bill', late: true, key: ({ number }) => number, cell: ({ number }) => number ?? '–' },
  {
    name: 'amount',
    figure: true,
    key: ({ amount }) => amount && Number(amount),
    cell: (row) => <AmountOf row={row} />,
  },
  {
    name: 'calls',
    late: true,
    hint: 'Of periods that are not closed.',
    figure: true,
    key: ({ calls }) => calls,
    cell: ({ calls }) => (calls === null ? '–' : count(calls)),
  },
  {
    name: 'unpriced',
    late: true,
    hint: 'Calls that the amount does not include.',
    figure: true,
    key: ({ unpriced }) => unpriced,
    cell: ({ unpriced }) => count(unpriced),
  },
  {
    name: 'closes',
    late: true,
    hint: 'When the period was closed, or from when on it can be.',
    key: ({ closed_at, closable_at }) => closed_at ?? closable_at,
    cell: ({ closed_at, closable_at, timezone }) =>
      closed_at === null ? (
        <>
          from <Time at={closable_at} zone={timezone} />
        </>
      ) : (
        <>
          closed <Time at={closed_at} />
        </>
      ),
  },
  { name: 'time zone', late: true, key: ({ timezone }) => timezone, cell: ({ timezone }) => timezone },
]

function AmountOf({ row: { total, amount, cost, currency, minor_units, unpriced } }: { row: BillPeriod }) {
  if (total !== null) return <b>{roundedMoney({ amount: total, currency }, minor_units)}</b>
  if (amount === null || cost === null)
    return (
      <Text span inherit c="dimmed">
        {unpriced > 0 ? 'no price' : '–'}
      </Text>
    )
  return (
    <span title={exactMoney(cost)}>
      {unpriced > 0 && '> '}
      {roundedMoney({ amount, currency }, minor_units)}
    </span>
  )
}

/** Usage that belongs to no account. */
function Unbilled({ unbilled }: { unbilled: BillList['unbilled'] }) {
  if (unbilled.length === 0) return null
  return (
    <>
      <Title order={2} size="h5">
        Not billed
      </Title>
      <ReportTable
        label="Not billed"
        columns={unbilledColumns}
        rows={unbilled}
        rowKey={({ period }) => period}
      />
      <Text size="sm" c="dimmed">
        Usage of sessions that belong to no account of the price file, by months in UTC:{' '}
        {counted(
          unbilled.reduce((sum, { calls }) => sum + calls, 0),
          'call',
        )}{' '}
        in all.
      </Text>
    </>
  )
}

const unbilledColumns: Column<BillList['unbilled'][number]>[] = [
  { name: 'month', key: ({ period }) => period, cell: ({ period }) => periodName(period) },
  { name: 'calls', figure: true, key: ({ calls }) => calls, cell: ({ calls }) => count(calls) },
  {
    name: 'cost',
    figure: true,
    key: ({ cost }) => cost && Number(cost.amount),
    cell: ({ cost }) => (cost === null ? '–' : <span title={exactMoney(cost)}>{money(cost)}</span>),
  },
]
