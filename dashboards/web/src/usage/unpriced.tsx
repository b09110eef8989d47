import { Anchor, Text, Title } from '@mantine/core'
import { Link } from 'wouter'
import type { Schemas } from '../api/client'
import { count } from '../format/numbers'
import { reasonName, reasonText } from '../format/unpriced'
import type { ReportParams } from '../reports/params'
import { sessionsAddress } from '../reports/tosessions'
import type { Column } from '../reports/column'
import { ReportTable } from '../reports/table'
import type { Figures } from './queries'

type Unpriced = Schemas['UnpricedCalls']
type PricedAs = Schemas['PricedAs']

/** What the costs do not include, by reason and model. */
export function UnpricedTables({ totals, report }: { totals: Figures; report: ReportParams }) {
  const { asOf, whatIf } = report
  return (
    <>
      <UnpricedTable name="Without a cost" unpriced={totals.unpriced_reasons ?? []} of={report} />
      <UnpricedTable
        name={`Without a cost at the prices of ${asOf}`}
        unpriced={totals.repriced_unpriced_reasons ?? []}
      />
      <UnpricedTable
        name={`Without a cost as calls of ${whatIf}`}
        unpriced={totals.what_if_unpriced_reasons ?? []}
      />
      <PricedAsTable calls={totals.priced_as ?? []} />
    </>
  )
}

/** Calls whose price is that of another model. */
function PricedAsTable({ calls }: { calls: readonly PricedAs[] }) {
  if (calls.length === 0) return null
  const name = 'Priced as another model'
  return (
    <>
      <Title order={2} size="h5">
        {name}
      </Title>
      <ReportTable
        label={name}
        columns={pricedAsColumns}
        rows={calls}
        rowKey={({ model, price_model }) => JSON.stringify([model, price_model])}
      />
    </>
  )
}

const pricedAsColumns: Column<PricedAs>[] = [
  { name: 'model', key: ({ model }) => model, cell: ({ model }) => model },
  { name: 'priced as', key: ({ price_model }) => price_model, cell: ({ price_model }) => price_model },
  { name: 'calls', figure: true, key: ({ calls }) => calls, cell: ({ calls }) => count(calls) },
]

/** Calls without a price; those without one at the prices of their time lead to their sessions. */
function UnpricedTable({
  name,
  unpriced,
  of,
}: {
  name: string
  unpriced: readonly Unpriced[]
  of?: ReportParams
}) {
  if (unpriced.length === 0) return null
  return (
    <>
      <Title order={2} size="h5">
        {name}
      </Title>
      <ReportTable
        label={name}
        columns={of === undefined ? columns : [...columns, sessionsColumn(of)]}
        rows={unpriced}
        rowKey={({ reason, model }) => JSON.stringify([reason, model])}
      />
      <Text size="sm" c="dimmed">
        The{' '}
        <Anchor component={Link} href="/prices" inherit>
          page of prices
        </Anchor>{' '}
        lists the ids that are most like a model without a price. A price file can state what is missing.
      </Text>
    </>
  )
}

const sessionsColumn = (report: ReportParams): Column<Unpriced> => ({
  name: 'sessions',
  key: ({ model }) => model,
  cell: ({ model }) => {
    const sessions = { ...report.sessions, unpriced: true, model: [model ?? ''] }
    return (
      <Anchor
        component={Link}
        href={sessionsAddress({ ...report, sessions }, null, 'usage')}
        inherit
        aria-label={`Sessions with calls of ${model ?? 'an unknown model'} without a price`}
      >
        show
      </Anchor>
    )
  },
})

const columns: Column<Unpriced>[] = [
  {
    name: 'model',
    key: ({ model }) => model,
    cell: ({ model }) =>
      model === null ? (
        <Text span inherit c="dimmed">
          unknown
        </Text>
      ) : (
        <Anchor component={Link} href={`/prices?model=${encodeURIComponent(model)}`} inherit>
          {model}
        </Anchor>
      ),
  },
  { name: 'reason', key: ({ reason }) => reasonName(reason), cell: ({ reason }) => reasonName(reason) },
  { name: 'why', key: ({ reason }) => reasonText(reason), cell: ({ reason }) => reasonText(reason) },
  { name: 'calls', figure: true, key: ({ calls }) => calls, cell: ({ calls }) => count(calls) },
  { name: 'tokens', figure: true, key: ({ tokens }) => tokens, cell: ({ tokens }) => count(tokens) },
]
