import type { Schemas } from '../../api/client'
import { sumOf } from '../../format/decimal'
import type { Amount } from '../../format/numbers'
import type { Reason } from '../../format/unpriced'
import { offsetOfTime } from '../player/position'
import { withDescendants } from '../timeline/span'

type UsageRecord = Schemas['UsageRecord']
export type Share = keyof Schemas['CostShares']

/** What usage records cost. */
export interface Costs {
  /** null if none of them has a known cost. */
  cost: Amount | null
  /** Why some have none, each reason once. */
  unpriced: readonly Reason[]
  /** The parts of the cost that are not 0. */
  shares: Partial<Record<Share, string>>
}

export const noCosts: Costs = { cost: null, unpriced: [], shares: {} }

/** Whether there is a cost, or a reason for none. */
export function hasCosts({ cost, unpriced }: Costs): boolean {
  return cost !== null || unpriced.length > 0
}

/** The shares of a cost in the order in which they are shown, with the bucket of tokens that each is of. */
export const shares: readonly { key: Share; name: string }[] = [
  { key: 'input', name: 'Input' },
  { key: 'cache_read', name: 'Cache read' },
  { key: 'cache_write_5m', name: 'Cache write 5 m' },
  { key: 'cache_write_1h', name: 'Cache write 1 h' },
  { key: 'output', name: 'Output' },
  { key: 'reasoning', name: 'Reasoning' },
  { key: 'calls', name: 'Calls' },
  { key: 'web_searches', name: 'Web searches' },
  { key: 'code_executions', name: 'Code executions' },
]

/** The costs of usage records. */
export function costsOf(records: readonly UsageRecord[]): Costs {
  return together(
    records.map(({ cost, unpriced_reason, cost_shares }) => ({
      cost,
      unpriced: unpriced_reason === null ? [] : [unpriced_reason],
      shares: cost_shares ?? {},
    })),
  )
}

/** Several costs as one. All are in one currency. */
export function together(list: readonly Costs[]): Costs {
  const known = list.flatMap(({ cost }) => (cost === null ? [] : [cost]))
  const sums: Partial<Record<Share, string>> = {}
  for (const { key } of shares) {
    const parts = list.flatMap((costs) => costs.shares[key] ?? [])
    if (parts.length > 0) sums[key] = sumOf(parts)
  }
  return {
    cost: known[0] === undefined ? null : { ...known[0], amount: sumOf(known.map(({ amount }) => amount)) },
    unpriced: [...new Set(list.flatMap(({ unpriced }) => unpriced))],
    shares: sums,
  }
}

/** A moment at which a cost became known, and what all until then cost. */
export interface CostStep {
  /** ms from the session's start. */
  at: number
  total: Amount
}

/** How the cost of a session grew: a step for each usage record that has a cost, in order. */
export function costSteps(timeline: Schemas['Timeline']): CostStep[] {
  const records = [...timeline.usage]
  for (const { usage } of withDescendants(timeline.spans)) records.push(...usage)
  let sum = '0'
  return records
    .flatMap(({ at, cost, duplicate }) =>
      cost === null || duplicate ? [] : [{ at: offsetOfTime(at, timeline.started), cost }],
    )
    .sort((a, b) => a.at - b.at)
    .map(({ at, cost }) => ({ at, total: { ...cost, amount: (sum = sumOf([sum, cost.amount])) } }))
}

/** The last step up to a moment; undefined before the first. */
export function stepAt(steps: readonly CostStep[], moment: number): CostStep | undefined {
  let [low, high] = [0, steps.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((steps[middle]?.at ?? Infinity) <= moment) low = middle + 1
    else high = middle
  }
  return steps[low - 1]
}
