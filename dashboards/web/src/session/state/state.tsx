import { NativeSelect, Skeleton, Stack } from '@mantine/core'
import { IconBraces } from '@tabler/icons-react'
import { useMemo, useState } from 'react'
import type { Schemas } from '../../api/client'
import { Empty } from '../../components/empty'
import { JsonTree } from '../../components/json/tree'
import { ProblemAlert } from '../../components/problem'
import { counted } from '../../format/numbers'
import { countUntil } from '../conversation/growth'
import { usePlayerState } from '../player/context'
import { Changes } from './changes'
import { mostStates, useStates, useStateTypes } from './queries'
import type { Snapshot } from './snapshots'
import classes from './state.module.css'

/** What states the source sent, what each changed, and the state at the player's moment. */
export default function State({ session }: { session: Schemas['SessionDetail'] }) {
  const types = useStateTypes(session)
  const states = useStates(session, types)
  if (states.data !== undefined) {
    if (states.data.snapshots.length > 0)
      return <States snapshots={states.data.snapshots} more={states.data.more} started={session.started} />
    return (
      <Empty title="No state was sent" icon={<IconBraces size={32} stroke={1.5} />}>
        No frame of this session holds a state that its dialect knows.
      </Empty>
    )
  }
  if (states.error !== null)
    return (
      <Stack p="md">
        <ProblemAlert error={states.error} again={() => void states.refetch()} />
      </Stack>
    )
  return (
    <Stack p="md" gap={10} role="status" aria-busy="true" aria-label="Loading the states">
      {[70, 50, 80].map((width) => (
        <Skeleton key={width} height={16} width={`${width}%`} />
      ))}
    </Stack>
  )
}

function States({
  snapshots,
  more,
  started,
}: {
  snapshots: readonly Snapshot[]
  more: boolean
  started: string
}) {
  const names = useMemo(() => [...new Set(snapshots.map(({ series }) => series))], [snapshots])
  const [chosen, choose] = useState('')
  const series = names.includes(chosen) ? chosen : ''
  const shown = useMemo(
    () => (series === '' ? snapshots : snapshots.filter((one) => one.series === series)),
    [snapshots, series],
  )
  const times = useMemo(() => Float64Array.from(shown, ({ at }) => at), [shown])
  const now = usePlayerState(({ offset }) => countUntil(times, offset) - 1)
  const current = shown[now]
  return (
    <div className={classes.view}>
      <div className={classes.head}>
        <span className={classes.count}>
          {counted(shown.length, 'state')}
          {more && ', the first of them'}
        </span>
        {names.length > 1 && (
          <NativeSelect
            size="xs"
            aria-label="Which states"
            value={series}
            data={[{ value: '', label: 'all states' }, ...names]}
            onChange={(event) => choose(event.currentTarget.value)}
          />
        )}
      </div>
      <Changes snapshots={shown} now={now} started={started} />
      <section className={classes.state} aria-label="State at this moment">
        <h3 className={classes.title}>
          State at this moment{current !== undefined && names.length > 1 && `: ${current.series}`}
        </h3>
        {current === undefined ? (
          <p className={classes.none}>No state had been sent yet.</p>
        ) : (
          <JsonTree value={current.state} label="State" open={3} />
        )}
      </section>
      {more && (
        <p className={classes.none}>The states of the first {mostStates} frames, or 16 MB, are read.</p>
      )}
    </div>
  )
}
