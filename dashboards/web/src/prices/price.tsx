import { Text } from '@mantine/core'
import { count } from '../format/numbers'
import classes from './price.module.css'
import type { UnitPrice } from './queries'

/** A price in the table's currency, with the prices of its tiers in the tooltip. */
export function Price({
  price,
  currency,
  places,
}: {
  price: UnitPrice | undefined
  currency: string
  /** As many decimal places as the other prices beside and below it have. */
  places: number
}) {
  if (price === undefined)
    return (
      <Text span inherit c="dimmed">
        –
      </Text>
    )
  const lines = [`${price.price} ${currency} for ${perText(price)}`, ...tierTexts(price, currency)]
  return (
    <span className={classes.price} title={lines.join('\n')}>
      {unitAmount(inColumn(price.price, places), currency)}
      {price.tiers.length > 0 && <span className={classes.tiers}> +</span>}
    </span>
  )
}

/** The unit of a price in a table of prices for a million tokens: "cache write 1h", "for 1,000 web searches". */
export function shortUnit({ per, unit }: Pick<UnitPrice, 'per' | 'unit'>): string {
  const tokens = per === 1_000_000 ? /^(.*)_tokens$/.exec(unit)?.[1] : undefined
  return tokens === undefined ? `for ${perText({ per, unit })}` : tokens.replaceAll('_', ' ')
}

/** How many decimal places the prices of a table get: those of the most precise one, from 2 to 4. */
export function placesOf(prices: readonly string[]): number {
  const most = Math.max(...prices.map((price) => price.split('.')[1]?.length ?? 0))
  return Math.min(Math.max(most, 2), 4)
}

/** A price with this many decimal places at least: prices of a column have their points below each other. */
export function inColumn(price: string, places: number): string {
  const [whole = '', decimals = ''] = price.split('.')
  return `${whole}.${decimals.padEnd(places, '0')}`
}

/** 1,000,000 input tokens */
export function perText({ per, unit }: Pick<UnitPrice, 'per' | 'unit'>): string {
  return `${count(per)} ${unit.replaceAll('_', ' ')}`
}

/** The prices of higher tiers in sentences. */
export function tierTexts({ tiers }: Pick<UnitPrice, 'tiers'>, currency: string): string[] {
  return tiers.map(
    ({ above_input_tokens, price }) =>
      `${unitAmount(price, currency)} for calls with more than ${count(above_input_tokens)} input tokens`,
  )
}

/** A price in full: $3, $0.60, $0.075. */
export function unitAmount(price: string, currency: string): string {
  const sign = (0)
    .toLocaleString('en', { style: 'currency', currency, maximumFractionDigits: 0 })
    .replace('0', '')
  return `${sign}${price.replace(/\.\d$/, '$&0')}`
}
