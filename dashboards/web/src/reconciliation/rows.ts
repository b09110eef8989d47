import { count } from '../format/numbers'
import type { FindingCode } from './params'
import type { ReconciledSession } from './queries'

/** One difference of a session: a total, the costs in a currency, or a finding that has no figures. */
export interface Difference {
  key: string
  session: ReconciledSession
  code: FindingCode
  what: string
  /** As the source states it, as it is counted here, and stated less counted; "" where there is none. */
  stated: string
  counted: string
  difference: string
}

/** The differences of sessions. Each total and each currency that differs is one of its own. */
export function differencesOf(sessions: readonly ReconciledSession[]): Difference[] {
  return sessions.flatMap((session) => session.findings.flatMap((finding) => rowsOf(session, finding)))
}

function rowsOf(
  session: ReconciledSession,
  { code, detail }: ReconciledSession['findings'][number],
): Difference[] {
  const row = (of: string, what: string, stated = '', counted = '', difference = ''): Difference => ({
    key: `${session.session_id} ${code} ${of}`,
    session,
    code,
    what,
    stated,
    counted,
    difference,
  })
  if (code === 'stated_total')
    return session.totals
      .filter((total) => total.difference !== null && total.difference !== 0)
      .map((total) =>
        row(
          `${total.kind} ${total.of}`,
          `${totalNames[total.kind]} ${total.of}`,
          tokens(total.stated),
          tokens(total.calls),
          tokens(total.difference),
        ),
      )
  if (code === 'stated_cost')
    return session.stated_costs
      .filter((costs) => costs.differing_calls > 0)
      .map((costs) => {
        const { currency, calls, unpriced_calls, stated, priced, difference } = costs
        const less = unpriced_calls > 0 ? `, ${count(unpriced_calls)} more without a price` : ''
        return row(
          currency,
          `${count(costs.differing_calls)} of ${count(calls - unpriced_calls)} priced calls${less}`,
          `${stated} ${currency}`,
          `${priced ?? '–'} ${currency}`,
          `${difference ?? '–'} ${currency}`,
        )
      })
  return [row('', detail)]
}

const totalNames = { rest: 'Total of', running: 'Running total of', run: 'Total of run' }

function tokens(n: number | null): string {
  return n === null ? '–' : count(n)
}

/** A decimal number of the API in full, its whole part in groups of three digits. */
export function exact(decimal: string): string {
  const [whole = '', fraction] = decimal.split('.')
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  return (fraction === undefined ? grouped : `${grouped}.${fraction}`).replace('-', '−')
}
