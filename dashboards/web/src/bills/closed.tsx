import { Anchor, Button, Group, Skeleton, Text, Title } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Command } from '../components/command'
import { ProblemAlert } from '../components/problem'
import { fullTime } from '../format/moment'
import { counted } from '../format/numbers'
import { serverFlag, shellWord } from '../format/shell'
import { useServerAddress } from '../login/queries'
import classes from '../reports/page.module.css'
import { useTitle } from '../components/title'
import { BillFigures } from './figures'
import { BillHeading } from './heading'
import { BillLines } from './lines'
import { billQuery, verificationQuery, type Bill } from './queries'
import { VerificationResult } from './verification'
import { periodName } from './words'

/** A closed bill: its sums, lines, files, and what differs when it is computed anew. */
export function ClosedBill({ number }: { number: string }) {
  useTitle(`Bill ${number}`)
  const [by, setBy] = useState<string>()
  const query = useQuery(billQuery(number, by))
  const bill = query.data
  return (
    <div className={classes.page} data-ready={query.isSuccess || undefined}>
      <BillHeading
        title={bill === undefined ? number : `${number}: ${bill.account_name}, ${periodName(bill.period)}`}
        state="closed"
        note={
          bill?.closed_at == null
            ? ''
            : `Closed ${fullTime(bill.closed_at, bill.timezone).slice(0, -4)}, ${bill.timezone}.`
        }
      />
      {query.error !== null && <ProblemAlert error={query.error} again={() => void query.refetch()} />}
      {query.isPending && <Skeleton height={320} radius="md" />}
      {bill !== undefined && (
        <div className={classes.parts}>
          <BillFigures bill={bill} />
          <BillLines bill={bill} setBy={setBy} />
          <Since number={number} currency={bill.currency} />
          <Files bill={bill} />
        </div>
      )}
    </div>
  )
}

/** What changed since the bill was closed: it is computed anew on request. */
function Since({ number, currency }: { number: string; currency: string }) {
  const verification = useQuery(verificationQuery(number))
  return (
    <>
      <div className={classes.tools}>
        <Title order={2} size="h5">
          What changed since
        </Title>
        <Button
          size="xs"
          variant="default"
          loading={verification.isFetching}
          onClick={() => void verification.refetch()}
        >
          Verify
        </Button>
      </div>
      {verification.error !== null && <ProblemAlert error={verification.error} />}
      {verification.data === undefined ? (
        <Text size="sm" c="dimmed">
          Verify computes the bill anew: its rows by their hash, the charges that are stored, and the frames
          of some sessions, decoded anew. Nothing is changed by that.
        </Text>
      ) : (
        <VerificationResult result={verification.data} currency={currency} />
      )}
    </>
  )
}

/** The files of a bill, and its hashes. */
function Files({ bill: { number, by, rows, rows_hash, prices_hash } }: { bill: Bill }) {
  const server = useServerAddress()
  const path = `/v1/bills/${encodeURIComponent(number)}`
  const files = [
    { href: `${path}/rows?format=csv`, name: 'Rows as CSV' },
    { href: `${path}/prices`, name: 'Price table as JSON' },
    {
      href: by === undefined ? `${path}/invoice` : `${path}/invoice?by=${encodeURIComponent(by)}`,
      name: 'Invoice',
    },
    { href: `${path}/focus`, name: 'FOCUS 1.4' },
    { href: `${path}/focus?version=1.2`, name: 'FOCUS 1.2' },
    { href: `${path}/evidence`, name: 'Evidence' },
  ]
  return (
    <>
      <Title order={2} size="h5">
        Files
      </Title>
      <Group gap="xs">
        {files.map(({ href, name }) => (
          <Button
            key={href}
            component="a"
            href={href}
            download
            size="xs"
            variant="default"
            leftSection={<IconDownload size={14} aria-hidden />}
          >
            {name}
          </Button>
        ))}
      </Group>
      <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        SHA-256 of the {counted(rows, 'row')} as CSV: <code>{rows_hash}</code>. Of the price table:{' '}
        <code>{prices_hash}</code>.{' '}
        <Anchor href={`${path}/rows`} inherit>
          Rows as JSON
        </Anchor>
      </Text>
      <Text size="sm">
        Evidence is the bill with its rows, prices, hashes and the tapes of the frames behind them, also by
        command:
      </Text>
      <Command
        text={`tapedeck bills export ${shellWord(number)} ${shellWord(`${number}.zip`)}${serverFlag(server)} --evidence`}
        what="the command for the evidence"
      />
    </>
  )
}
