import { ActionIcon, NativeSelect } from '@mantine/core'
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useState } from 'react'
import { Loading } from '../components/loading'
import type { Schemas } from '../api/client'
import { ProblemAlert } from '../components/problem'
import { clock } from '../format/duration'
import { useBarred } from '../session/barred'
import { GoToContext, SessionIdContext } from '../session/context'
import { Conversation } from '../session/conversation/conversation'
import { OpenStateContext, openStateOf } from '../session/openstate'
import { PlayerContext, usePlayer, usePlayerState } from '../session/player/context'
import { isTaken, speeds } from '../session/player/keys'
import { ReplayPlayer } from '../session/player/replayplayer'
import { sessionQuery } from '../session/queries'
import { PairPlayer } from './pairplayer'
import type { Pair } from './queries'
import classes from './together.module.css'

/** Both conversations on one clock. */
export function Together({ pair }: { pair: Pair }) {
  const a = useQuery(sessionQuery(pair.a))
  const b = useQuery(sessionQuery(pair.b))
  const error = a.error ?? b.error
  if (a.data !== undefined && b.data !== undefined) return <Players a={a.data} b={b.data} />
  if (error !== null)
    return (
      <ProblemAlert
        error={error}
        again={() => {
          void a.refetch()
          void b.refetch()
        }}
      />
    )
  return <Loading size="sm" label="Loading both sessions" />
}

type Session = Schemas['SessionDetail']

const playerOf = ({ id, started, duration_ms }: Session) =>
  new ReplayPlayer(
    { session: id, started, duration: duration_ms, running: false },
    { offset: 0, position: null },
  )

function Players({ a, b }: { a: Session; b: Session }) {
  const [players] = useState(() => ({ a: playerOf(a), b: playerOf(b) }))
  const [both] = useState(() => new PairPlayer(players.a, players.b))
  const barred = { a: useBarred(a, null), b: useBarred(b, null) }
  useEffect(() => players.a.bar(barred.a), [players, barred.a])
  useEffect(() => players.b.bar(barred.b), [players, barred.b])
  useEffect(() => {
    players.a.open()
    players.b.open()
    return () => both.close()
  }, [players, both])
  const goTo = useCallback((ms: number) => both.seek(ms), [both])
  return (
    <section className={classes.together} aria-label="Both sessions on one clock">
      <PlayerContext.Provider value={both}>
        <Controls />
      </PlayerContext.Provider>
      <div className={classes.panes}>
        {(
          [
            ['A', a, players.a],
            ['B', b, players.b],
          ] as const
        ).map(([letter, session, player]) => (
          <div key={letter} className={classes.pane} role="group" aria-label={`Session ${letter}`}>
            <SessionIdContext value={session.id}>
              <PlayerContext.Provider value={player}>
                <OpenStateContext value={openStateOf(session)}>
                  <GoToContext value={goTo}>
                    <Conversation session={session} />
                  </GoToContext>
                </OpenStateContext>
              </PlayerContext.Provider>
            </SessionIdContext>
          </div>
        ))}
      </div>
    </section>
  )
}

/** Play and pause, the moment, and the speed, of both. */
function Controls() {
  const player = usePlayer()
  const playing = usePlayerState((state) => state.playing)
  const offset = usePlayerState((state) => Math.floor(state.offset / 100) * 100)
  const duration = usePlayerState((state) => state.duration)
  const speed = usePlayerState((state) => state.speed)
  const trouble = usePlayerState((state) => state.barred ?? state.trouble)
  const barred = usePlayerState((state) => state.barred !== null)
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (isTaken(event) || ![' ', 'k'].includes(event.key)) return
      event.preventDefault()
      if (player.state().playing) player.pause()
      else player.play()
    }
    addEventListener('keydown', pressed)
    return () => removeEventListener('keydown', pressed)
  }, [player])
  return (
    <div className={classes.controls}>
      <ActionIcon
        size="lg"
        radius="xl"
        aria-label={playing ? 'Pause both' : 'Play both from here'}
        disabled={barred}
        onClick={() => (playing ? player.pause() : player.play())}
      >
        {playing ? <IconPlayerPause size={18} /> : <IconPlayerPlay size={18} />}
      </ActionIcon>
      <span className={classes.clock} role="timer">
        {clock(offset, false)} / {clock(duration, false)}
      </span>
      <input
        className={classes.slider}
        type="range"
        aria-label="Moment of both"
        aria-valuetext={`${clock(offset, false)} of ${clock(duration, false)}`}
        min={0}
        max={Math.ceil(duration)}
        step={100}
        value={offset}
        onChange={(event) => player.seek(Number(event.currentTarget.value))}
      />
      <NativeSelect
        size="xs"
        aria-label="Speed"
        value={speed}
        data={speeds.map((value) => ({ value: String(value), label: `${value}×` }))}
        onChange={(event) => player.setSpeed(Number(event.currentTarget.value))}
      />
      {trouble !== null && (
        <span className={classes.trouble} role="status">
          {trouble}
        </span>
      )}
    </div>
  )
}
