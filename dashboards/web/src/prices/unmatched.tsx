import { Anchor, Text, Title } from '@mantine/core'
import { Link } from 'wouter'
import { Time } from '../components/time'
import { count } from '../format/numbers'
import { reasonName } from '../format/unpriced'
import type { Column } from '../reports/column'
import { ReportTable } from '../reports/table'
import type { Unmatched } from './queries'

/** The models that usage names and that have no price, with the ids that are most like them. */
export function UnmatchedTable({ unmatched }: { unmatched: readonly Unmatched[] }) {
  if (unmatched.length === 0) return null
  return (
    <>
      <Title order={2} size="h5">
        In use without a price
      </Title>
      <ReportTable
        label="In use without a price"
        columns={columns}
        rows={unmatched}
        rowKey={({ provider, model, service_tier, speed }) =>
          JSON.stringify([provider, model, service_tier, speed])
        }
      />
    </>
  )
}

const columns: Column<Unmatched>[] = [
  {
    name: 'model',
    key: ({ model }) => model,
    cell: ({ model }) => (model === '' ? <Unknown /> : <b>{model}</b>),
  },
  {
    name: 'provider',
    key: ({ provider }) => provider,
    cell: ({ provider }) => (provider === '' ? <Unknown /> : provider),
  },
  {
    name: 'tier',
    hint: 'The service tier and speed that served the calls.',
    key: ({ service_tier, speed }) => `${service_tier} ${speed}`,
    cell: ({ service_tier, speed }) => [service_tier, speed].filter((part) => part !== '').join(', ') || '–',
  },
  {
    name: 'reason',
    key: ({ detail }) => detail,
    cell: ({ reason, detail }) => <span title={detail}>{reasonName(reason)}</span>,
  },
  { name: 'records', figure: true, key: ({ records }) => records, cell: ({ records }) => count(records) },
  { name: 'last used', key: ({ last }) => last, cell: ({ last }) => <Time at={last} /> },
  {
    name: 'most alike',
    key: ({ nearest }) => nearest.join(', '),
    cell: ({ nearest }) =>
      nearest.length === 0
        ? '–'
        : nearest.map((id, i) => (
            <span key={id}>
              {i > 0 && ', '}
              <Anchor
                component={Link}
                href={`/prices?model=${encodeURIComponent(id.split('/').at(-1) ?? id)}`}
                inherit
              >
                {id}
              </Anchor>
            </span>
          )),
  },
]

function Unknown() {
  return (
    <Text span inherit c="dimmed">
      not stated
    </Text>
  )
}
