import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Schemas } from '../api/client'
import { Cost } from '../components/cost'
import { money } from '../format/numbers'
import { usePlayerState } from './player/context'
import { timelineQuery } from './queries'
import { costSteps, stepAt } from './totals/costs'

/** What a session cost until the player's moment, of what it cost in all. */
export function CostSoFar({ session: { id, totals } }: { session: Schemas['SessionDetail'] }) {
  const timeline = useQuery(timelineQuery(id)).data
  const steps = useMemo(() => (timeline === undefined ? [] : costSteps(timeline)), [timeline])
  const sofar = usePlayerState(({ offset }) => {
    const [step, last] = [stepAt(steps, offset), steps.at(-1)]
    return step === last || last === undefined ? null : money(step?.total ?? { ...last.total, amount: '0' })
  })
  return (
    <>
      {sofar !== null && `${sofar} of `}
      <Cost spent={totals} />
    </>
  )
}
