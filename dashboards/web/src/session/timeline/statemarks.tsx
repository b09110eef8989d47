import { useMemo } from 'react'
import type { Schemas } from '../../api/client'
import { counted } from '../../format/numbers'
import { usePlayer } from '../player/context'
import { changePath } from '../state/diff'
import { useStates, useStateTypes } from '../state/queries'
import type { Snapshot } from '../state/snapshots'
import { useGo } from '../useplace'
import type { Range } from './rows'
import classes from './statemarks.module.css'
import type { Warp } from './warp'

/** The least distance between two marks, of the width. */
const apart = 0.008

/** Where a state changed, on the axis. A click goes there and shows the state; by keyboard its own view does. */
export function StateMarks({
  session,
  range,
  warp,
}: {
  session: Schemas['SessionDetail']
  range: Range
  warp: Warp
}) {
  const states = useStates(session, useStateTypes(session)).data
  const player = usePlayer()
  const go = useGo()
  const marks = useMemo(() => marksOf(states?.snapshots ?? [], range, warp), [states, range, warp])
  return marks.map(({ share, snapshot, more }) => (
    <button
      key={snapshot.position}
      className={classes.mark}
      style={{ left: `${share * 100}%` }}
      tabIndex={-1}
      aria-hidden
      title={titleOf(snapshot, more)}
      onPointerDown={(event) => event.stopPropagation()}
      onClick={() => {
        go({ tab: 'state' }, 'push')
        player.seek(snapshot.at)
      }}
    />
  ))
}

/** The marks of a range; of marks too close to each other only the first is drawn. */
function marksOf(snapshots: readonly Snapshot[], { from, to }: Range, warp: Warp) {
  const marks: { share: number; snapshot: Snapshot; more: number }[] = []
  for (const snapshot of snapshots) {
    const share = (warp.draw(snapshot.at) - from) / (to - from)
    if (share < 0 || share > 1) continue
    const last = marks.at(-1)
    if (last !== undefined && share - last.share < apart) last.more++
    else marks.push({ share, snapshot, more: 0 })
  }
  return marks
}

function titleOf({ series, changes }: Snapshot, more: number): string {
  const what = changes === null ? ['the first'] : changes.slice(0, 8).map(changePath)
  const rest = more === 0 ? [] : [`and ${counted(more, 'more state')} here`]
  return [`State (${series})`, ...what, ...rest].join('\n')
}
