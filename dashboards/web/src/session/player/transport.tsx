import { ActionIcon, Button, Menu, Tooltip } from '@mantine/core'
import {
  IconAlertTriangle,
  IconKeyboard,
  IconPlayerPauseFilled,
  IconPlayerPlayFilled,
  IconPlayerSkipBackFilled,
  IconPlayerSkipForwardFilled,
  IconPlayerTrackNext,
  IconRepeat,
} from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useState, type ReactNode } from 'react'
import { isShared, type Schemas } from '../../api/client'
import { clock, duration } from '../../format/duration'
import { alertsQuery } from '../alerts/queries'
import { useFind } from '../find/context'
import { notesQuery } from '../notes/queries'
import { timelineQuery } from '../queries'
import { usePlayer, usePlayerState, useShown } from './context'
import { KeyHelp } from './help'
import { isTaken, obeyKey, skippedTo, speeds } from './keys'
import { CopyMoment } from './link'
import { alertMarkers, markersOf, nextMarker, noteMarkers, type Marker } from './markers'
import type { PlayerState } from './player'
import { Scrubber } from './scrubber'
import classes from './transport.module.css'

const noMarkers: readonly Marker[] = []

/** The player's controls: the scrubber, and below it what a video player has. */
export function TransportBar({ session }: { session: Schemas['SessionDetail'] }) {
  const player = usePlayer()
  const timeline = useQuery(timelineQuery(session.id)).data
  const alerts = useQuery(alertsQuery(session)).data
  const notes = useQuery({ ...notesQuery(session.id), enabled: !isShared() }).data
  const markers = useMemo(() => {
    const spans = timeline === undefined ? noMarkers : markersOf(timeline.spans)
    const others = [
      ...alertMarkers(alerts ?? [], session.started),
      ...noteMarkers(notes ?? [], session.started),
    ]
    return others.length === 0 ? spans : [...spans, ...others].sort((a, b) => a.at - b.at)
  }, [timeline, alerts, notes, session.started])
  const [helps, help] = useState(false)
  const { open: find } = useFind()
  const trouble = usePlayerState((state) => state.barred ?? state.trouble)
  const barred = usePlayerState((state) => state.barred !== null)
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (helps || isTaken(event)) return // the dialog opens before it takes the focus
      const marker = (back: boolean) => {
        const next = nextMarker(markers, player.state().offset, back)
        if (next !== undefined) player.seek(next.at)
      }
      if (obeyKey(event.key, player, { help: () => help(true), marker, find })) event.preventDefault()
    }
    document.addEventListener('keydown', pressed)
    return () => document.removeEventListener('keydown', pressed)
  }, [player, markers, helps, find])
  return (
    <section id="player" tabIndex={-1} className={classes.bar} aria-label="Player">
      {trouble !== null && (
        <p className={classes.trouble} role="status">
          <IconAlertTriangle size={14} aria-hidden /> {trouble}
        </p>
      )}
      <Scrubber session={session} markers={markers} />
      <div className={classes.controls}>
        <div className={classes.group}>
          <Control name="One frame back" keys="," disabled={barred} onClick={() => player.step(-1)}>
            <IconPlayerSkipBackFilled size={16} />
          </Control>
          <PlayPause />
          <Control name="One frame on" keys="." disabled={barred} onClick={() => player.step(1)}>
            <IconPlayerSkipForwardFilled size={16} />
          </Control>
        </div>
        <Times />
        <Live />
        <div className={classes.group}>
          <Speed />
          <SkipSilence />
          <Loop />
        </div>
        <div className={`${classes.group} ${classes.extras}`}>
          <CopyMoment />
          <Control name="Keys" keys="?" onClick={() => help(true)}>
            <IconKeyboard size={18} />
          </Control>
        </div>
      </div>
      <KeyHelp opened={helps} close={() => help(false)} />
    </section>
  )
}

/** A button of the player's; `keys` names the key that does the same. `on` makes it a switch. */
function Control(props: {
  name: string
  keys: string
  on?: boolean
  disabled?: boolean
  onClick: () => void
  children: ReactNode
}) {
  const { name, keys, on, disabled = false, onClick, children } = props
  return (
    <Tooltip label={`${name} (${keys})`}>
      <ActionIcon
        variant={on === true ? 'light' : 'subtle'}
        color={on === true ? 'deck' : 'gray'}
        size="lg"
        aria-label={name}
        aria-keyshortcuts={keys}
        disabled={disabled}
        {...(on !== undefined && { 'aria-pressed': on })}
        onClick={onClick}
      >
        {children}
      </ActionIcon>
    </Tooltip>
  )
}

function PlayPause() {
  const player = usePlayer()
  const playing = usePlayerState((state) => state.playing)
  const barred = usePlayerState((state) => state.barred !== null)
  return (
    <Tooltip label={playing ? 'Pause (Space)' : 'Play (Space)'}>
      <ActionIcon
        size={40}
        radius="xl"
        aria-label={playing ? 'Pause' : 'Play'}
        aria-keyshortcuts="Space"
        disabled={barred}
        onClick={() => (playing ? player.pause() : player.play())}
      >
        {playing ? <IconPlayerPauseFilled size={20} /> : <IconPlayerPlayFilled size={20} />}
      </ActionIcon>
    </Tooltip>
  )
}

/** The moment and the length of the tape. */
function Times() {
  const now = useRef<HTMLSpanElement>(null)
  const length = useRef<HTMLSpanElement>(null)
  const show = useCallback(({ offset, duration }: PlayerState) => {
    if (now.current !== null) {
      now.current.textContent = clock(offset)
      now.current.dataset['ms'] = String(offset)
    }
    const end = `/ ${clock(duration)}`
    if (length.current !== null && length.current.textContent !== end) length.current.textContent = end
  }, [])
  useShown(show)
  return (
    <div className={classes.times} role="timer" aria-label="Moment and length" aria-live="off">
      <span ref={now} className={classes.now} data-testid="moment" />
      <span ref={length} className={classes.length} />
    </div>
  )
}

/** That the moment is the present of a running session, or the way there and how far it is. */
function Live() {
  const player = usePlayer()
  const running = usePlayerState((state) => state.running)
  const live = usePlayerState((state) => state.live)
  const waiting = usePlayerState((state) => state.trouble !== null)
  const behind = usePlayerState((state) => Math.round((state.duration - state.offset) / 1000) * 1000)
  if (!running) return null
  if (live)
    return (
      <span className={classes.live} role="status" data-waiting={waiting}>
        <span className={classes.dot} aria-hidden /> {waiting ? 'Waiting' : 'Live'}
      </span>
    )
  return (
    <Button
      className={classes.back}
      variant="light"
      size="compact-sm"
      aria-keyshortcuts="l"
      onClick={() => player.goLive()}
    >
      Back to live{behind >= 1000 && <span className={classes.behind}>{duration(behind)} behind</span>}
    </Button>
  )
}

function Speed() {
  const player = usePlayer()
  const speed = usePlayerState((state) => state.speed)
  const [opened, setOpened] = useState(false)
  return (
    <Menu
      opened={opened}
      onChange={setOpened}
      position="top"
      withinPortal={false}
      floatingStrategy="fixed"
      withInitialFocusPlaceholder={false}
      shadow="md"
    >
      <Menu.Target>
        <Tooltip label="Speed (< and >)" disabled={opened}>
          <Button
            className={classes.speed}
            variant="subtle"
            color={speed === 1 ? 'gray' : 'deck'}
            size="compact-md"
            aria-label={`Speed: ${speed}×`}
          >
            {speed}×
          </Button>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown>
        {speeds.toReversed().map((one) => (
          <Menu.Item
            key={one}
            className={classes.choice}
            {...(one === speed && { fw: 700, 'aria-current': true, 'data-autofocus': true })}
            onClick={() => player.setSpeed(one)}
          >
            {one}×
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

function SkipSilence() {
  const player = usePlayer()
  const skips = usePlayerState((state) => state.idleLimit !== null)
  return (
    <Control
      name={`Skip silence beyond ${duration(skippedTo)}`}
      keys="S"
      on={skips}
      onClick={() => player.setIdleLimit(skips ? null : skippedTo)}
    >
      <IconPlayerTrackNext size={18} />
    </Control>
  )
}

function Loop() {
  const player = usePlayer()
  const loop = usePlayerState((state) => state.loop)
  return (
    <Control name="Loop" keys="R" on={loop} onClick={() => player.setLoop(!loop)}>
      <IconRepeat size={18} />
    </Control>
  )
}
