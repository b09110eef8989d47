import { Text } from '@mantine/core'
import { count } from '../format/numbers'
import type { UnitPrice } from './queries'

/** A price in the table's currency, with the prices of its tiers in the tooltip. */
export function Price({ price, currency }: { price: UnitPrice | undefined; currency: string }) {
  if (price === undefined)
    return (
      <Text span inherit c="dimmed">
        –
      </Text>
    )
  const lines = [`${price.price} ${currency} for ${perText(price)}`, ...tierTexts(price, currency)]
  return (
    <span title={lines.join('\n')}>
      {unitAmount(inColumn(price.price), currency)}
      {price.tiers.length > 0 && ' +'}
    </span>
  )
}

/** A price with two decimal places at least, so that those of a column have their points below each other. */
function inColumn(price: string): string {
  const [whole = '', places = ''] = price.split('.')
  return `${whole}.${places.padEnd(2, '0')}`
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

/** A price in full: $3, $0.075. */
export function unitAmount(price: string, currency: string): string {
  const sign = (0)
    .toLocaleString('en', { style: 'currency', currency, maximumFractionDigits: 0 })
    .replace('0', '')
  return `${sign}${price}`
}
