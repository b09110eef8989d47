import { Anchor, Badge, Skeleton, Text, Title } from '@mantine/core'
import { IconCoin } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useCallback } from 'react'
import { Link, useLocation } from 'wouter'
import { Empty } from '../components/empty'
import { NextPage } from '../components/nextpage'
import { ProblemAlert } from '../components/problem'
import classes from '../reports/page.module.css'
import type { Column } from '../reports/column'
import { ReportTable } from '../reports/table'
import { Search } from '../filters/search'
import { useTitle } from '../components/title'
import { modelAddress } from './address'
import { Price, perText, placesOf, shortUnit, unitAmount } from './price'
import { pricesQuery, type PricedModel } from './queries'
import { Source } from './source'
import { UnmatchedTable } from './unmatched'

/** The effective price table: where it is from, models without a price, and the prices of models. */
export function PriceTable({ model }: { model: string }) {
  useTitle('Prices')
  const [, navigate] = useLocation()
  const list = useInfiniteQuery(pricesQuery(model))
  const search = useCallback(
    (text: string, options: { replace: boolean }) =>
      navigate(text === '' ? '/prices' : `/prices?model=${encodeURIComponent(text)}`, options),
    [navigate],
  )
  const head = list.data?.pages[0]
  const models = list.data?.pages.flatMap(({ items }) => items) ?? []
  return (
    <div className={classes.page} data-ready={list.isSuccess || undefined}>
      <Title order={1} size="h3">
        Prices
      </Title>
      {list.error !== null && <ProblemAlert error={list.error} again={() => void list.refetch()} />}
      {list.isPending && <Skeleton height={320} radius="md" />}
      {head !== undefined && (
        <div className={`${classes.parts} ${list.isPlaceholderData ? classes.stale : ''}`}>
          <Source head={head} />
          <UnmatchedTable unmatched={head.unmatched} />
          <div className={classes.tools}>
            <Title order={2} size="h5">
              Effective table
            </Title>
            <Search value={model} change={search} label="Search models" placeholder="Search models" />
          </div>
          {models.length === 0 && list.isPlaceholderData ? (
            <Skeleton height={320} radius="md" />
          ) : models.length === 0 ? (
            <Empty title="No model is called so" icon={<IconCoin size={36} stroke={1.25} />}>
              No id of a model in the table contains “{model}”.
            </Empty>
          ) : (
            <>
              <Text size="sm" c="dimmed">
                Of standard calls, in {head.currency} for a million tokens. A + marks prices that are higher
                for calls with much input.
              </Text>
              <ReportTable
                label="Prices of models"
                columns={columnsFor(head.currency, models)}
                rows={models}
                rowKey={(row) => `${row.provider} ${row.model}`}
              />
            </>
          )}
          <NextPage list={list}>Show more models</NextPage>
        </div>
      )}
    </div>
  )
}

/** The units that have a column of their own. */
const units = [
  { key: 'input_mtok', name: 'input', late: false },
  { key: 'cache_read_mtok', name: 'cache read', late: true },
  { key: 'cache_write_mtok', name: 'cache write', late: true },
  { key: 'output_mtok', name: 'output', late: false },
] as const

function columnsFor(currency: string, models: readonly PricedModel[]): Column<PricedModel>[] {
  const priceOf = (model: PricedModel, key: string) => model.prices.find(({ price_key }) => price_key === key)
  const places = placesOf(models.flatMap((model) => units.map(({ key }) => priceOf(model, key)?.price ?? '')))
  return [
    {
      name: 'model',
      key: ({ model }) => model,
      cell: ({ provider, model, deprecated }) => (
        <>
          <Anchor component={Link} href={modelAddress(provider, model)} inherit fw={500}>
            {model}
          </Anchor>
          {deprecated && (
            <Badge ml={8} size="sm" radius="sm" variant="default" tt="none" fw={400}>
              deprecated
            </Badge>
          )}
        </>
      ),
    },
    { name: 'provider', late: true, key: ({ provider }) => provider, cell: ({ provider }) => provider },
    ...units.map(({ key, name, late }) => ({
      name,
      late,
      hint: 'For a million tokens.',
      figure: true,
      key: (model: PricedModel) => {
        const price = priceOf(model, key)
        return price === undefined ? null : Number(price.price)
      },
      cell: (model: PricedModel) => <Price price={priceOf(model, key)} currency={currency} places={places} />,
    })),
    {
      name: 'other units',
      late: true,
      key: ({ prices }) => others(prices).length,
      cell: ({ prices }) => <Others prices={others(prices)} currency={currency} />,
    },
  ]
}

/** Prices of other units in short, since those for a million tokens are what the table shows; in full as the tooltip. */
function Others({ prices, currency }: { prices: PricedModel['prices']; currency: string }) {
  if (prices.length === 0) return '–'
  const full = prices.map((price) => `${unitAmount(price.price, currency)} for ${perText(price)}`)
  return (
    <span title={full.join('\n')}>
      {prices.map((price) => `${unitAmount(price.price, currency)} ${shortUnit(price)}`).join(', ')}
    </span>
  )
}

function others(prices: PricedModel['prices']): PricedModel['prices'] {
  return prices.filter(({ price_key }) => !units.some(({ key }) => key === price_key))
}
