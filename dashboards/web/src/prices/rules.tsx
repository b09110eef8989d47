import { Anchor, Text, Title } from '@mantine/core'
import type { Column } from '../reports/column'
import { ReportTable } from '../reports/table'
import { unitAmount } from './price'
import type { PriceRule } from './queries'

const sections: Record<PriceRule['section'], string> = {
  overlay: 'overlay',
  prices: 'price file: prices',
  discounts: 'price file: discounts',
  margins: 'price file: margins',
}

/** The rules that may hold for calls of a model, with the sources of their figures. */
export function RulesTable({ rules, currency }: { rules: readonly PriceRule[]; currency: string }) {
  if (rules.length === 0) return null
  return (
    <>
      <Title order={2} size="h5">
        Rules that may hold
      </Title>
      <ReportTable
        label="Rules that may hold"
        columns={columnsFor(currency)}
        rows={rules}
        rowKey={({ section, name }) => `${section} ${name}`}
      />
    </>
  )
}

function columnsFor(currency: string): Column<PriceRule>[] {
  return [
    { name: 'rule', key: ({ name }) => name, cell: ({ name }) => name },
    { name: 'of', key: ({ section }) => section, cell: ({ section }) => sections[section] },
    { name: 'when', key: ({ when }) => whenText(when), cell: ({ when }) => whenText(when) },
    { name: 'effect', key: (rule) => effectText(rule, currency), cell: (rule) => effectText(rule, currency) },
    {
      name: 'source',
      key: ({ source }) => (source === null ? null : JSON.stringify(source)),
      cell: ({ source }) => <SourceOf source={source} />,
    },
  ]
}

/** The conditions of a rule: service_tier batch, region us. */
export function whenText(when: PriceRule['when']): string {
  return (
    Object.entries(when)
      .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
      .join(', ') || 'always'
  )
}

/** What a rule does to prices: × 0.5 of tokens; input_mtok $3. */
export function effectText({ factor, units, prices, whole }: PriceRule, currency: string): string {
  const parts = prices.map(({ price_key, price }) => `${price_key} ${unitAmount(price, currency)}`)
  if (factor !== null) parts.push(`× ${factor}${units.length === 0 ? '' : ` of ${units.join(', ')}`}`)
  return `${parts.join(', ')}${whole ? ', no other unit has a price' : ''}`
}

function SourceOf({ source }: { source: PriceRule['source'] }) {
  const { url, text, date } = (source ?? {}) as Record<string, string | undefined>
  if (url === undefined || !url.startsWith('https://'))
    return (
      <Text span inherit c="dimmed">
        –
      </Text>
    )
  return (
    <span title={text}>
      <Anchor href={url} target="_blank" rel="noreferrer" inherit>
        {new URL(url).hostname}
      </Anchor>
      {date !== undefined && `, read ${date}`}
    </span>
  )
}
