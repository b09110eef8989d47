import { lazy, Suspense } from 'react'
import { counted } from '../format/numbers'
import classes from './chosen.module.css'
import type { ChosenProps } from './chosenactions'

const ChosenActions = lazy(() => import('./chosenactions'))

/** How many sessions are chosen, and what can be done with them. */
export function Chosen(props: ChosenProps) {
  const { chosen } = props.choosing
  return (
    <div className={classes.chosen} data-any={chosen.size > 0 || undefined}>
      <span role="status" aria-label="Chosen sessions">
        {chosen.size > 0 && `${counted(chosen.size, 'session')} chosen`}
        {chosen.size === 1 && '; two can be compared'}
      </span>
      {chosen.size > 0 && (
        <Suspense>
          <ChosenActions {...props} />
        </Suspense>
      )}
    </div>
  )
}
