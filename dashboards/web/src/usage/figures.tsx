import { Text } from '@mantine/core'
import { Cost, unpriced } from '../components/cost'
import { counted, exactMoney, money, type Amount } from '../format/numbers'
import { Facts } from '../reports/facts'
import type { ReportParams } from '../reports/params'
import type { Figures } from './queries'

/** A further cost of the same usage, and how many calls it does not include. */
export interface Further {
  cost: Amount | null
  unpriced: number
}

/** The cost at the prices of another date. */
export function repriced(figures: Figures): Further {
  return { cost: figures.repriced_cost, unpriced: figures.repriced_unpriced_calls }
}

/** The cost as calls of another model. */
export function whatIf(figures: Figures): Further {
  return { cost: figures.what_if_cost, unpriced: figures.what_if_unpriced_calls }
}

export function FurtherCost({ further: { cost, unpriced: calls } }: { further: Further }) {
  const without = calls === 0 ? '' : `${counted(calls, 'call')} ${calls === 1 ? 'has' : 'have'} no such price`
  if (cost === null)
    return (
      <Text span inherit c="dimmed" title={without === '' ? undefined : without}>
        {calls === 0 ? '–' : 'no price'}
      </Text>
    )
  return (
    <span title={[exactMoney(cost), without].filter((line) => line !== '').join('\n')}>
      {calls > 0 && '> '}
      {money(cost)}
    </span>
  )
}

/** What sources state that calls cost, by currency. */
export function statedText({ stated_costs }: Pick<Figures, 'stated_costs'>): string {
  return stated_costs.map(money).join(' + ') || '–'
}

/** The cost as priced, re-priced, and as sources state it: side by side, never added up. */
export function CostFigures({
  totals,
  report: { asOf, whatIf: model },
}: {
  totals: Figures
  report: ReportParams
}) {
  const stating = totals.stated_costs.reduce((sum, { calls }) => sum + calls, 0)
  return (
    <Facts
      facts={[
        {
          name: 'Cost at the prices of the time',
          value: <Cost spent={totals} />,
          note: unpriced(totals) || 'of all calls',
        },
        {
          name: asOf === '' ? 'Re-priced' : `At the prices of ${asOf}`,
          value: asOf === '' ? '–' : <FurtherCost further={repriced(totals)} />,
          note: asOf === '' ? 'choose a date under Re-price' : withoutText(repriced(totals)),
        },
        ...(model === ''
          ? []
          : [
              {
                name: `As calls of ${model}`,
                value: <FurtherCost further={whatIf(totals)} />,
                note: withoutText(whatIf(totals)),
              },
            ]),
        {
          name: 'As stated by sources',
          value: statedText(totals),
          note:
            stating === 0
              ? 'no source states a cost'
              : `${counted(stating, 'call')} of ${totals.calls} with a stated cost`,
        },
      ]}
    />
  )
}

function withoutText({ unpriced: calls }: Further): string {
  return calls === 0 ? 'of all calls' : `without ${counted(calls, 'call')}`
}
