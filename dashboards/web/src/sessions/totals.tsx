import { Cost } from '../components/cost'
import type { Schemas } from '../api/client'
import { compact, counted } from '../format/numbers'
import classes from './page.module.css'

/** How many sessions pass the filter, and what they used: "12,400 sessions, 84.3M tokens, > $68.21". */
export function Totals({ totals }: { totals: Schemas['SessionTotals'] | undefined }) {
  if (totals === undefined || totals.sessions === 0) return null
  const { sessions, more, spent } = totals
  return (
    <span className={classes.totals} role="status" aria-label="All that fit">
      {more && 'more than '}
      {counted(sessions, 'session')}
      {spent !== null && spent.calls > 0 && (
        <>
          , <span title={counted(spent.tokens.total, 'token')}>{compact(spent.tokens.total)} tokens</span>,{' '}
          <Cost spent={spent} />
        </>
      )}
    </span>
  )
}
