import { useQuery } from '@tanstack/react-query'
import { useCallback, useMemo, useRef, useState, type PointerEvent } from 'react'
import type { Schemas } from '../../api/client'
import { clock } from '../../format/duration'
import { counted } from '../../format/numbers'
import { densityQuery } from '../queries'
import { DensityBars } from './bars'
import { usePlayer, usePlayerState, useShown } from './context'
import { framesAt, silences } from './density'
import { markerNear, type Marker } from './markers'
import type { PlayerState } from './player'
import classes from './scrubber.module.css'

/** While live the axis grows by steps, so that it is not drawn anew for every picture. */
const growth = 500
/** How near to a marker the pointer must be to mean it, px. */
const near = 5

/** The session's time from left to right: what happened when, and the moment, which can be dragged. */
export function Scrubber({
  session,
  markers,
}: {
  session: Schemas['SessionDetail']
  markers: readonly Marker[]
}) {
  const player = usePlayer()
  const density = useQuery(densityQuery(session.id)).data
  const length = usePlayerState((state) =>
    state.live ? Math.ceil(state.duration / growth) * growth : state.duration,
  )
  const idleLimit = usePlayerState((state) => state.idleLimit)
  const [pointed, point] = useState<{ offset: number; x: number; width: number } | null>(null)
  const cut = useMemo(
    () => (density !== undefined && idleLimit !== null ? silences(density, idleLimit) : []),
    [density, idleLimit],
  )

  const follow = (event: PointerEvent<HTMLDivElement>) => {
    const box = event.currentTarget.getBoundingClientRect()
    const x = Math.min(Math.max(event.clientX - box.left, 0), box.width)
    const offset = box.width === 0 ? 0 : (x / box.width) * length
    point({ offset, x, width: box.width })
    return offset
  }
  return (
    <div
      className={classes.scrubber}
      onPointerDown={(event) => {
        if (event.button !== 0) return
        event.currentTarget.setPointerCapture(event.pointerId)
        player.seek(follow(event))
      }}
      onPointerMove={(event) => {
        const offset = follow(event)
        if (event.currentTarget.hasPointerCapture(event.pointerId)) player.seek(offset)
      }}
      onPointerUp={(event) => {
        if (event.pointerType !== 'mouse') point(null)
      }}
      onPointerLeave={() => point(null)}
    >
      <DensityBars density={density} markers={markers} length={length} />
      {cut.map(({ from, to }) => (
        <div
          key={from}
          className={classes.silence}
          style={{ left: share(from, length), width: share(Math.min(to, length) - from, length) }}
        />
      ))}
      {markers.map(({ kind, at, until, name }, i) =>
        kind === 'alert' && at <= length ? (
          <div
            key={i}
            className={classes.alert}
            data-name={name}
            style={{ left: share(at, length), width: share(Math.min(until ?? length, length) - at, length) }}
          />
        ) : null,
      )}
      <Playhead length={length} />
      {pointed !== null && (
        <div
          className={classes.pointed}
          // Its left edge at the left end of the axis, its right edge at the right one: it is never cut off.
          style={{ left: pointed.x, transform: `translateX(-${share(pointed.x, pointed.width)})` }}
          aria-hidden
        >
          <strong>{clock(pointed.offset)}</strong>
          {' · '}
          {markerNear(markers, pointed.offset, (near / Math.max(pointed.width, 1)) * length)?.name ??
            (density && counted(framesAt(density, pointed.offset), 'frame'))}
        </div>
      )}
    </div>
  )
}

/** Where the moment is. While it plays, screen readers receive whole seconds. */
function Playhead({ length }: { length: number }) {
  const track = useRef<HTMLDivElement>(null)
  const show = useCallback(
    ({ offset }: PlayerState) => {
      const at = length <= 0 ? 1 : Math.min(offset / length, 1)
      if (track.current !== null) track.current.style.transform = `translateX(${at * 100}%)`
    },
    [length],
  )
  useShown(show)
  const offset = usePlayerState((state) =>
    state.playing ? Math.floor(state.offset / 1000) * 1000 : state.offset,
  )
  return (
    <div
      ref={track}
      className={classes.track}
      role="slider"
      tabIndex={0}
      aria-label="Moment"
      aria-valuemin={0}
      aria-valuemax={Math.round(length)}
      aria-valuenow={Math.round(offset)}
      aria-valuetext={`${clock(offset)} of ${clock(length)}`}
    >
      <div className={classes.head} />
    </div>
  )
}

function share(part: number, whole: number): string {
  return `${whole <= 0 ? 0 : (part / whole) * 100}%`
}
