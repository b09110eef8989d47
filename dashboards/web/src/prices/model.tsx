import { Anchor, Badge, Skeleton, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { ProblemAlert } from '../components/problem'
import { count } from '../format/numbers'
import classes from '../reports/page.module.css'
import type { Column } from '../reports/column'
import { ReportTable } from '../reports/table'
import { useTitle } from '../components/title'
import { inColumn, placesOf, Price, tierTexts, unitAmount } from './price'
import { modelQuery, type ModelPrices, type UnitPrice } from './queries'
import { RulesTable } from './rules'
import { Source } from './source'

/** All prices of a model: now, in its history, and the rules that may hold for its calls. */
export function ModelPage({ provider, id }: { provider: string; id: string }) {
  useTitle(`Prices of ${id}`)
  const prices = useQuery(modelQuery(provider, id))
  const { data } = prices
  return (
    <div className={classes.page} data-ready={prices.isSuccess || undefined}>
      <Text size="sm">
        <Anchor component={Link} href="/prices">
          All prices
        </Anchor>
      </Text>
      <Title order={1} size="h3">
        {id}{' '}
        <Text span c="dimmed" inherit fw={400}>
          {provider}
        </Text>
      </Title>
      {prices.error !== null && <ProblemAlert error={prices.error} again={() => void prices.refetch()} />}
      {prices.isPending && <Skeleton height={320} radius="md" />}
      {data !== undefined && (
        <div className={classes.parts}>
          <Source head={data} />
          <Title order={2} size="h5">
            Prices of standard calls
          </Title>
          <ReportTable
            label="Prices of standard calls"
            columns={unitColumns(data.currency, data.prices)}
            rows={data.prices}
            rowKey={({ price_key }) => price_key}
          />
          <Title order={2} size="h5">
            History of list prices
          </Title>
          <ReportTable
            label="History of list prices"
            columns={periodColumns(data.periods)}
            rows={data.periods}
            rowKey={(period) =>
              JSON.stringify([period.start_date, period.start_time, period.end_time, period.weekdays])
            }
          />
          <Text size="sm" c="dimmed">
            In US dollars, as of {data.source.package} {data.source.version}. Of several that hold the last
            counts.
          </Text>
          <RulesTable rules={data.rules} currency={data.currency} />
        </div>
      )}
    </div>
  )
}

function unitColumns(currency: string, prices: readonly UnitPrice[]): Column<UnitPrice>[] {
  const places = placesOf(prices.flatMap(({ price, list_price }) => [price, list_price ?? '']))
  const amount = (price: string) => unitAmount(inColumn(price, places), currency)
  return [
    { name: 'unit', key: ({ unit }) => unit, cell: ({ unit }) => unit.replaceAll('_', ' ') },
    { name: 'for', figure: true, key: ({ per }) => per, cell: ({ per }) => count(per) },
    {
      name: 'list price',
      figure: true,
      key: ({ list_price }) => (list_price === null ? null : Number(list_price)),
      cell: ({ list_price }) => (list_price === null ? '–' : amount(list_price)),
    },
    {
      name: 'price',
      hint: 'With the rules of the overlay and of the price file.',
      figure: true,
      key: ({ price }) => Number(price),
      cell: ({ price }) => <b>{amount(price)}</b>,
    },
    {
      name: 'tiers',
      key: ({ tiers }) => tiers.length,
      cell: (price) => tierTexts(price, currency).join('; ') || '–',
    },
    {
      name: 'in price files',
      key: ({ price_key }) => price_key,
      cell: ({ price_key }) => <code>{price_key}</code>,
    },
  ]
}

type PricePeriod = ModelPrices['periods'][number]

/** A column for each unit that has a price in some period. */
function periodColumns(periods: readonly PricePeriod[]): Column<PricePeriod>[] {
  const keys = [...new Set(periods.flatMap(({ prices }) => prices.map(({ price_key }) => price_key)))]
  return [
    {
      name: 'from',
      key: ({ start_date }) => start_date ?? '',
      cell: ({ start_date, holds }) => (
        <>
          {start_date ?? 'the beginning'}
          {holds && (
            <Badge ml={8} size="sm" radius="sm" variant="light" tt="none">
              now
            </Badge>
          )}
        </>
      ),
    },
    {
      name: 'time of day, UTC',
      key: ({ start_time }) => start_time ?? '',
      cell: ({ start_time, end_time }) =>
        start_time === null && end_time === null ? 'all day' : `${start_time ?? ''} – ${end_time ?? ''}`,
    },
    {
      name: 'days',
      key: ({ weekdays }) => weekdays.join(),
      cell: ({ weekdays }) => (weekdays.length === 0 ? 'every day' : weekdays.join(', ')),
    },
    ...keys.map((price_key): Column<PricePeriod> => {
      const priceOf = ({ prices }: PricePeriod) => prices.find((price) => price.price_key === price_key)
      const places = placesOf(periods.map((period) => priceOf(period)?.price ?? ''))
      return {
        name: price_key,
        figure: true,
        key: (period) => Number(priceOf(period)?.price ?? -1),
        cell: (period) => <Price price={priceOf(period)} currency="USD" places={places} />,
      }
    }),
  ]
}
