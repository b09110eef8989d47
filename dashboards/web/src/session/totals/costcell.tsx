import { Text } from '@mantine/core'
import { exactMoney, money } from '../../format/numbers'
import { reasonText } from '../../format/unpriced'
import type { Costs } from './costs'

/** What calls cost, with the reason of a cost that is not known. */
export function CostCell({ costs: { cost, unpriced } }: { costs: Costs }) {
  const why = unpriced.map(reasonText).join(' ')
  if (cost === null)
    return (
      <Text span inherit c="dimmed" title={why === '' ? undefined : why}>
        {unpriced.length === 0 ? '–' : 'no price'}
      </Text>
    )
  const exact = exactMoney(cost)
  return (
    <span title={why === '' ? exact : `${exact}\nWithout calls that have no price. ${why}`}>
      {why !== '' && '> '}
      {money(cost)}
    </span>
  )
}
