import { Button, Skeleton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { ProblemAlert } from '../components/problem'
import { fullTime } from '../format/moment'
import classes from '../reports/page.module.css'
import { useTitle } from '../components/title'
import { CloseDialog } from './closedialog'
import { CorrectionRows } from './corrections'
import { BillFigures } from './figures'
import { BillHeading } from './heading'
import { BillLines } from './lines'
import { billsQuery, previewQuery } from './queries'
import { billAddress, periodName } from './words'

/** The bill of a period as it would be closed now, and the way to close it. */
export function Preview({ account, period }: { account: string; period: string }) {
  useTitle(`Bill of ${periodName(period)}`)
  const [by, setBy] = useState<string>()
  const preview = useQuery(previewQuery(account, period, by))
  const listed = useQuery(billsQuery).data?.items.find(
    (row) => row.account === account && row.period === period,
  )
  const [asks, setAsks] = useState(false)
  const [, navigate] = useLocation()
  const bill = preview.data
  // The server refuses to close the period before this time, too.
  const closable = listed?.state === 'draft' && Date.parse(listed.closable_at) <= preview.dataUpdatedAt
  return (
    <div className={classes.page} data-ready={preview.isSuccess || undefined}>
      <BillHeading
        title={`${listed?.account_name ?? account}, ${periodName(period)}`}
        state={listed?.state ?? 'open'}
        note={
          listed === undefined
            ? 'A preview: nothing is stored.'
            : `A preview: nothing is stored. Until ${fullTime(listed.period_end, listed.timezone).slice(0, -4)}, ${listed.timezone}; can be closed from ${fullTime(listed.closable_at, listed.timezone).slice(0, -4)} on.`
        }
      >
        {bill !== undefined && (
          <Button size="xs" disabled={!closable} onClick={() => setAsks(true)}>
            Close the period
          </Button>
        )}
      </BillHeading>
      {preview.error !== null && <ProblemAlert error={preview.error} again={() => void preview.refetch()} />}
      {preview.isPending && <Skeleton height={320} radius="md" />}
      {bill !== undefined && (
        <div className={classes.parts}>
          <BillFigures bill={bill} />
          <BillLines bill={bill} setBy={setBy} />
          <CorrectionRows rows={bill.correction_rows} currency={bill.currency} all={bill.corrections} />
          <Text size="sm" c="dimmed">
            Priced by the table {bill.prices_hash.slice(0, 12)}
            {bill.list_prices !== null && `, list prices of ${bill.list_prices.date}`}.
          </Text>
          <CloseDialog
            bill={bill}
            opened={asks}
            close={() => setAsks(false)}
            closed={(made) => navigate(billAddress(made), { replace: true })}
          />
        </div>
      )}
    </div>
  )
}
