import { Text } from '@mantine/core'
import { counted, money } from '../format/numbers'
import type { Spent } from './queries'

/** The cost, and how many calls it does not include: a call without a price is not free. */
export function Cost({ spent }: { spent: Spent }) {
  if (spent.cost === null)
    return (
      <Text span inherit c="dimmed" title={unpriced(spent) || 'Nothing was called.'}>
        {spent.calls === 0 ? '–' : 'no price'}
      </Text>
    )
  return (
    <span title={unpriced(spent)}>
      {spent.unpriced_calls > 0 && '> '}
      {money(spent.cost)}
    </span>
  )
}

/** The calls that a cost does not include, for people; "" if it includes all. */
export function unpriced({ unpriced_calls, calls }: Spent): string {
  if (unpriced_calls === 0) return ''
  return `${unpriced_calls === calls ? 'No' : counted(unpriced_calls, 'call')} ${
    unpriced_calls === calls ? 'call has' : unpriced_calls === 1 ? 'has no' : 'have no'
  } ${unpriced_calls === calls ? 'a price' : 'price'}`
}
