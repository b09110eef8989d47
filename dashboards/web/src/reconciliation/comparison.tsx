import { Alert, Switch, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useState } from 'react'
import { count, counted } from '../format/numbers'
import { Facts } from '../reports/facts'
import type { Column } from '../reports/column'
import { ReportTable } from '../reports/table'
import classes from './page.module.css'
import type { ExportComparison } from './queries'
import { exact } from './rows'

type Item = ExportComparison['items'][number]
type Sum = ExportComparison['sums'][number]

/** Every figure of an export beside the recorded one; equal ones on request. */
export function ComparisonResult({ name, comparison }: { name: string; comparison: ExportComparison }) {
  const [equal, setEqual] = useState(false)
  const { states, sums, items, unattributed, currency } = comparison
  const rows = equal ? items : items.filter(({ state }) => state !== 'equal')
  const facts = [
    { name: 'Equal', state: 'equal', note: 'figures' },
    { name: 'Differ', state: 'differs', note: 'figures' },
    { name: 'Only recorded', state: 'only_recorded', note: 'not in the export' },
    { name: 'Only exported', state: 'only_exported', note: 'not recorded' },
  ]
  return (
    <>
      <Text size="sm">
        <b>{name}</b>: {comparison.format}, {comparison.from} to {comparison.to} (UTC),{' '}
        {counted(comparison.rows, 'row')}
        {currency !== null && `, in ${currency}`}
      </Text>
      {comparison.has_more && (
        <Alert color="yellow" variant="light" icon={<IconAlertTriangle />} p="sm">
          The last page of the export states that more pages follow: it is not whole.
        </Alert>
      )}
      <Facts
        facts={facts.map(({ name, state, note }) => ({ name, value: count(states[state] ?? 0), note }))}
      />
      <ReportTable
        label="Sums of the export"
        columns={sumColumns}
        rows={sums}
        rowKey={({ bucket }) => bucket}
      />
      <Switch
        size="xs"
        label="List equal figures, too"
        checked={equal}
        onChange={(event) => setEqual(event.currentTarget.checked)}
      />
      {rows.length === 0 ? (
        <Text size="sm" c="dimmed">
          Every figure of the export is equal to the recorded one.
        </Text>
      ) : (
        <ReportTable
          label="Figures of the export"
          columns={columns}
          rows={rows}
          rowKey={({ day, model, bucket }) => `${day} ${model ?? ''} ${bucket}`}
        />
      )}
      {unattributed.length > 0 && (
        <div className={classes.unattributed}>
          Not compared, since no provider is recorded:
          <ul>
            {unattributed.map(({ model, calls, tokens }) => (
              <li key={model ?? ''}>
                {model ?? 'no known model'}: {counted(calls, 'call')}, {counted(tokens, 'token')}
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  )
}

interface Figures {
  recorded: string | null
  exported: string
  difference: string | null
}

function figures<Row extends Figures>(): Column<Row>[] {
  return (['recorded', 'exported', 'difference'] as const).map((name) => ({
    name,
    ...(name === 'difference' && { hint: 'Recorded less exported.' }),
    figure: true,
    key: (row: Row) => {
      const value = row[name]
      return value === null ? null : Number(value)
    },
    cell: (row: Row) => {
      const value = row[name]
      return value === null ? 'unknown' : exact(value)
    },
  }))
}

const sumColumns: Column<Sum>[] = [
  { name: 'all days', key: ({ bucket }) => bucket, cell: ({ bucket }) => bucket.replaceAll('_', ' ') },
  ...figures<Sum>(),
]

const columns: Column<Item>[] = [
  { name: 'day', key: ({ day }) => day, cell: ({ day }) => day },
  {
    name: 'model',
    key: ({ model }) => model,
    cell: ({ model }) =>
      model ?? (
        <Text span inherit c="dimmed">
          all models
        </Text>
      ),
  },
  { name: 'bucket', key: ({ bucket }) => bucket, cell: ({ bucket }) => bucket.replaceAll('_', ' ') },
  ...figures<Item>(),
  {
    name: 'state',
    key: ({ state }) => state,
    cell: ({ state, unpriced_calls }) =>
      `${state.replaceAll('_', ' ')}${unpriced_calls > 0 ? `, ${counted(unpriced_calls, 'call')} without a price` : ''}`,
  },
]
