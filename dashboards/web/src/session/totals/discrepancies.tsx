import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react'
import type { Schemas } from '../../api/client'
import { reported } from '../../format/reported'
import { isOpen } from '../standing'
import classes from './totals.module.css'

/** What was lost or does not add up, in sentences. */
export function Discrepancies({ session }: { session: Schemas['SessionDetail'] }) {
  const found = session.discrepancies
  if (found.length === 0) {
    // Without usage there are no figures that could add up: only that no frame is missing is known.
    const figures = reported(session.totals) ? ', and all figures add up' : ' from the recording'
    return (
      <p className={classes.sound}>
        <IconCircleCheck size={16} aria-hidden />
        {isOpen(session) ? 'So far nothing is missing' : 'Nothing is missing'}
        {figures}.
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
