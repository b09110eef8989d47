import { Anchor, Text, Title } from '@mantine/core'
import { Link } from 'wouter'
import type { Schemas } from '../api/client'
import { count } from '../format/numbers'
import { reasonName, reasonText } from '../format/unpriced'
import type { ReportParams } from '../reports/params'
import { ReportTable, type Column } from '../reports/table'
import type { Figures } from './queries'

type Unpriced = Schemas['UnpricedCalls']
type PricedAs = Schemas['PricedAs']

/** What the costs do not include, by reason and model. */
export function UnpricedTables({
  totals,
  report: { asOf, whatIf },
}: {
  totals: Figures
  report: ReportParams
}) {
  return (
    <>
      <UnpricedTable name="Without a cost" unpriced={totals.unpriced_reasons ?? []} />
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

function UnpricedTable({ name, unpriced }: { name: string; unpriced: readonly Unpriced[] }) {
  if (unpriced.length === 0) return null
  return (
    <>
      <Title order={2} size="h5">
        {name}
      </Title>
      <ReportTable
        label={name}
        columns={columns}
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
