import { Text } from '@mantine/core'
import type { Schemas } from '../api/client'
import { counted, exactMoney, money } from '../format/numbers'
import { unpricedLines } from '../format/unpriced'

type Spent = Pick<Schemas['Spent'], 'calls' | 'cost' | 'unpriced_calls' | 'unpriced_reasons'>

/** The cost, and how many calls it does not include: a call without a price is not free. */
export function Cost({ spent }: { spent: Spent }) {
  const why = [unpriced(spent), ...unpricedLines(spent.unpriced_reasons)].filter((line) => line !== '')
  if (spent.cost === null)
    return (
      <Text span inherit c="dimmed" title={why.join('\n') || 'No call reported its usage.'}>
        {spent.calls === 0 ? '–' : 'no price'}
      </Text>
    )
  return (
    <span title={[exactMoney(spent.cost), ...why].join('\n')}>
      {spent.unpriced_calls > 0 && '> '}
      {money(spent.cost)}
    </span>
  )
}

/** The calls that a cost does not include, for people; "" if it includes all. */
export function unpriced({ unpriced_calls, calls }: Pick<Spent, 'calls' | 'unpriced_calls'>): string {
  if (unpriced_calls === 0) return ''
  if (unpriced_calls === calls) return 'No call has a price'
  return `${counted(unpriced_calls, 'call')} ${unpriced_calls === 1 ? 'has' : 'have'} no price`
}
