import { monthOf } from '../format/moment'
import type { BillRow, State } from './queries'

/** 2026-10 as Oct 2026. */
export const periodName = (period: string): string => monthOf(period)

/** What a state means. */
export const stateText: Record<State, string> = {
  open: 'The period is not over.',
  draft: 'The period is over and is not closed.',
  closed: 'The period has a bill, which never changes.',
}

/** Why a charge is corrected, or differs from its bill. */
export const whyText: Record<BillRow['note'], string> = {
  '': '',
  late: 'arrived after the bill was closed',
  redecoded: 'decoded anew with other usage',
  changed: 'usage changed',
  repriced: 'prices changed',
  moved_in: 'moved into the account or period',
  moved_out: 'moved out of the account or period',
  deleted: 'its session was deleted',
}

/** The address of a bill, or of the preview of a period. */
export function billAddress({
  number,
  account,
  period,
}: {
  number: string | null
  account: string
  period: string
}) {
  return `/bills?${new URLSearchParams(number === null ? { account, period } : { number }).toString()}`
}

/** The distinct months of usage, as Jul 2026, Aug 2026; of many the first twelve and how many more. */
export function monthsOf(usage: readonly { period: string }[]): string {
  const months = [...new Set(usage.map(({ period }) => period))].sort()
  const named = months.slice(0, 12).map(periodName).join(', ')
  return months.length > 12 ? `${named} and ${months.length - 12} more` : named
}
