import type { Schemas } from '../api/client'
import { counted } from './numbers'

type Unpriced = Schemas['UnpricedCalls']
export type Reason = Unpriced['reason']

const reasons: Record<Reason, { short: string; long: string }> = {
  no_model: { short: 'no model', long: 'The source states no model.' },
  unknown_provider: {
    short: 'unknown provider',
    long: 'The price table has no such provider, or the name of the model belongs to none.',
  },
  unknown_model: {
    short: 'unknown model',
    long: 'The provider has no model of this name in the price table.',
  },
  unit_without_price: {
    short: 'unit without price',
    long: 'The model has no price of something that was used, or two prices hold for it.',
  },
  calls_unknown: {
    short: 'number of calls unknown',
    long: 'The price depends on how many calls a total is of.',
  },
  invalid_usage: {
    short: 'invalid usage',
    long: 'The figures of the source contradict each other: a part is greater than what contains it.',
  },
  unknown_tier: { short: 'unknown tier', long: 'No rule has prices of this service tier or speed.' },
  no_rate: {
    short: 'no exchange rate',
    long: 'The price file has no exchange rate of its currency at the time of the call.',
  },
}

/** Why calls have no cost, in two or three words. */
export function reasonName(reason: Reason): string {
  return reasons[reason].short
}

/** The same in a sentence. */
export function reasonText(reason: Reason): string {
  return reasons[reason].long
}

/** A line for each reason and model: 3 calls of gpt-x: unknown model. */
export function unpricedLines(list: readonly Unpriced[] | undefined): string[] {
  return (list ?? []).map(
    ({ reason, model, calls }) =>
      `${calls === 0 ? 'usage' : counted(calls, 'call')}${model === null ? '' : ` of ${model}`}: ${reasonName(reason)}`,
  )
}
