import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react'
import type { Schemas } from '../../api/client'
import { reported } from '../../format/reported'
import { isOpen } from '../standing'
import classes from './totals.module.css'

/** What was lost or does not add up, in sentences. */
export function Discrepancies({ session }: { session: Schemas['SessionDetail'] }) {
  const found = session.discrepancies
  if (found.length === 0) {
    return (
      <p className={classes.sound}>
        <IconCircleCheck size={16} aria-hidden />
        {isOpen(session) ? 'So far nothing is missing' : 'Nothing is missing'}
        {addingUp(session.totals)}.
      </p>
    )
  }
  return (
    <section aria-label="What does not add up">
      <ul className={classes.found}>
        {found.map(({ code, detail }) => (
          <li key={code}>
            <IconAlertTriangle size={15} aria-hidden />
            {detail}
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Which figures add up: none without usage, and no cost where calls have none. */
function addingUp(totals: Schemas['SessionDetail']['totals']): string {
  if (!reported(totals)) return ' from the recording'
  return totals.cost === null || totals.unpriced_calls > 0
    ? ', and all token counts add up'
    : ', and all figures add up'
}
