import { corrected, momentAt, type Clock } from './clock'
import { ReplayConnection } from './connection'
import { browser, type Environment } from './environment'
import type { Player, PlayerState } from './player'
import { offsetOf } from './position'
import { Present } from './present'
import { Sync } from './sync'
import { idleLimitOf, type Control, type Message, type State } from './wire'

export interface Tape {
  session: string
  /** Of its first frame, as the server writes it. */
  started: string
  duration: number
  running: boolean
  /** For an open session, how long it has been running by the server's clock, ms. */
  age?: number
}

/** How often the server is sent to the moment while somebody drags it, ms. */
const dragInterval = 100
/** The least time since the last frame that is silence, and not the way of frames to the tables, ms. */
const silent = 3000
/** How much wall time the moment may be ahead of the server's, ms. */
const tolerance = 250
/**
 * Plays a session over the replay API's WebSocket. The time runs on the server: when which frame is due,
 * how long a silence lasts, where a loop begins. While nothing runs, the moment is this player's alone and
 * moves at once; the server is sent to it before it plays on. Cues that arrive before all controls are answered
 * belong to a moment that has been left, and are ignored.
 */
export class ReplayPlayer implements Player {
  private current: PlayerState
  private readonly listeners = new Set<() => void>()
  private readonly connection: ReplayConnection
  private readonly sync = new Sync()
  private closed = true
  /** The session is over, and its last frames are not shown yet. */
  private ending = false
  /** The state changed since the listeners were last called. */
  private dirty = false
  private clock: Clock
  private readonly present: Present
  private stopDrawing: (() => void) | null = null
  private dragTimer: ReturnType<typeof setTimeout> | undefined

  constructor(
    private readonly tape: Tape,
    start: { offset: number; position: string | null } | null,
    private readonly environment: Environment = browser,
  ) {
    const live = tape.running && start === null
    const duration = Math.max(tape.duration, tape.running ? (tape.age ?? 0) : 0)
    this.present = new Present(tape.duration)
    // A session that was silent when the server answered has no frame since then: its present is known at once.
    if (duration - tape.duration > silent) this.present.confirm(duration, environment.now())
    const known = this.present.known(environment.now())
    this.current = {
      offset: start === null ? known : clamp(start.offset, duration),
      position: start?.position ?? null,
      duration,
      edge: tape.duration,
      known,
      playing: live,
      speed: 1,
      idleLimit: null,
      loop: false,
      running: tape.running,
      live,
      trouble: null,
      barred: null,
    }
    this.clock = { offset: this.current.offset, at: 0, speed: 0, ceiling: Infinity }
    this.connection = new ReplayConnection(tape.session, environment, {
      opened: () => this.opened(),
      received: (message) => this.receive(message),
      lost: () => this.lost(),
    })
  }

  /** Begins to follow a session that runs. A player that was closed may be opened again. */
  open() {
    if (!this.closed) return
    this.closed = false
    if (this.current.running) this.connect()
  }

  close = () => {
    this.closed = true
    this.disconnect()
  }

  /**
   * Sets how long the session is by now, and how long it has been running, ms. A session that is over becomes
   * longer when the end of its streams is stored after its last frame: a moment at the end stays at the end.
   */
  grown(duration: number, age = 0) {
    const { running, playing, offset, duration: end } = this.current
    this.reach(duration)
    if (running) {
      if (age > this.current.duration) this.set({ duration: age })
    } else if (!playing && !this.ending && offset >= end && duration > end) this.leap(duration, null)
  }

  /** Sets until when the shown data is complete, ms. */
  loaded(offset: number) {
    this.present.load(offset)
    if (this.current.running) this.learn()
    else if (this.ending && offset >= this.current.edge) {
      this.ending = false
      this.settle(this.current.edge, {})
    }
  }

  /** Ends a session that is over, or whose recorder is gone. What is live plays to its end first. */
  finish(lost = false) {
    if (this.current.running && (lost || !this.current.live)) this.over()
  }

  /** Sets why the session cannot be played, or null. What plays or is followed ends; what is shown stays. */
  bar(barred: string | null) {
    if (barred === this.current.barred) return
    if (barred !== null) this.over()
    this.set({ barred, trouble: null })
  }

  subscribe = (changed: () => void): (() => void) => {
    this.listeners.add(changed)
    return () => this.listeners.delete(changed)
  }

  state = (): PlayerState => this.current

  play = () => {
    const { offset, duration, running, playing } = this.current
    if (playing || this.closed || this.current.barred !== null) return
    if (offset >= duration && running) {
      this.goLive()
      return
    }
    if (offset >= duration) this.leap(0, null)
    this.set({ playing: true, trouble: null })
    this.control([...this.sync.cursor(this.current.offset), { op: 'resume' }])
  }

  pause = () => {
    if (!this.current.playing) return
    this.sync.pause(this.current.live)
    this.settle(this.now(), { playing: false, live: false })
    this.control([{ op: 'pause' }])
  }

  seek = (offset: number) => this.goTo(clamp(offset, this.current.duration), null)

  seekTo = (position: string) => {
    const offset = offsetOf(position, this.tape.started)
    if (!Number.isNaN(offset)) this.goTo(clamp(offset, this.current.duration), position)
  }

  step = (frames: number) => {
    if (this.current.barred !== null) return
    this.ending = false
    this.settle(this.now(), { playing: false, live: false, trouble: null })
    this.sync.addSteps(frames)
    if (!this.connection.ready) this.connect()
    else if (!this.connection.stepping) this.takeSteps()
  }

  setSpeed = (speed: number) => {
    this.settle(this.now(), { speed, live: this.current.live && speed >= 1 })
    this.control([{ op: 'speed', value: speed }])
  }

  setIdleLimit = (idleLimit: number | null) => {
    this.settle(this.now(), { idleLimit })
    this.control([{ op: 'idle_limit', value: idleLimitOf(idleLimit) }])
  }

  setLoop = (loop: boolean) => {
    this.set({ loop })
    this.control([{ op: 'loop', value: loop }])
  }

  goLive = () => {
    if (!this.current.running) return
    this.sync.follow()
    this.settle(this.known(), { playing: true, live: true, position: null, trouble: null })
    this.control([{ op: 'live' }])
  }

  /** The moment by the clock. In an open session it stops at the known end. */
  private now(): number {
    const moment = momentAt(this.clock, this.environment.now())
    return this.current.running ? Math.max(Math.min(moment, this.known()), this.clock.offset) : moment
  }

  private known(): number {
    return this.present.known(this.environment.now())
  }

  /** Goes to a moment. A server that plays is sent there at once, or soon if it was sent to another one just now. */
  private goTo(offset: number, position: string | null) {
    const { playing, live } = this.current
    this.leap(offset, position)
    if (live) this.set({ live: false })
    if (playing && this.dragTimer === undefined) this.dragged()
  }

  private dragged() {
    this.dragTimer = undefined
    if (!this.sync.desynced || !this.current.playing) return
    this.control(this.sync.cursor(this.current.offset))
    this.dragTimer = setTimeout(() => this.dragged(), dragInterval)
  }

  private leap(offset: number, position: string | null) {
    this.ending = false
    this.sync.leave()
    this.settle(offset, { position })
  }

  /** Sends all requested steps as one. Steps requested before its answer are sent after it. */
  private takeSteps() {
    if (!this.sync.hasSteps || this.current.playing) return
    this.connection.send(this.sync.takeSteps(this.current.offset))
  }

  /** Stands still at a moment, until the server answers. */
  private settle(offset: number, change: Partial<PlayerState>) {
    this.clock = { offset, at: this.environment.now(), speed: 0, ceiling: Infinity }
    this.draw(false)
    this.set({ ...change, offset, duration: Math.max(change.duration ?? this.current.duration, offset) })
  }

  private set(change: Partial<PlayerState>) {
    this.current = { ...this.current, ...change }
    this.dirty = false
    for (const changed of this.listeners) changed()
  }

  /** Changes the state without calling the listeners: the next picture shows it. */
  private note(change: Partial<PlayerState>) {
    this.current = { ...this.current, ...change }
    this.dirty = true
  }

  /** Sends controls. A connection that is not open yet begins with all that the state asks for. */
  private control(controls: Control[]) {
    if (this.connection.ready) this.connection.send([...controls, { op: 'state' }])
    else if (this.current.playing || this.sync.hasSteps) this.connect()
  }

  private connect() {
    if (!this.closed) this.connection.open(this.current.running)
  }

  /** Sets the server's player as this one is. */
  private opened() {
    const { speed, idleLimit, loop, live, playing } = this.current
    this.sync.reset(live)
    this.connection.send([
      { op: 'pause' },
      { op: 'speed', value: speed },
      { op: 'idle_limit', value: idleLimitOf(idleLimit) },
      { op: 'loop', value: loop },
      ...(live ? ([{ op: 'live' }] as const) : this.sync.cursor(this.current.offset)),
      ...(playing && !live ? ([{ op: 'resume' }] as const) : []),
      { op: 'state' },
    ])
    this.takeSteps()
    this.set({ trouble: null })
    // Played late, frames carry the state.
    if (this.current.running) this.connection.poll(() => !this.current.playing || this.current.live)
  }

  private disconnect() {
    this.sync.reset()
    clearTimeout(this.dragTimer)
    this.dragTimer = undefined
    this.draw(false)
    this.connection.close()
  }

  /** Handles a lost connection: one that is needed is replaced, and begins at the same moment. */
  private lost() {
    const { playing, running, position, trouble } = this.current
    const needed = playing || running || this.sync.hasSteps
    this.disconnect()
    this.settle(this.now(), { position, ...(!needed && { trouble: null }) })
    if (!needed) return
    const failures = this.connection.retry(() => this.connect())
    if (failures > 1) this.set({ trouble: trouble ?? 'Lost the connection to the server, reconnecting …' })
  }

  private receive(message: Message) {
    switch (message.type) {
      case 'cue':
        this.reach(message.offset_ms)
        if (!this.connection.settled || this.sync.desynced || !this.current.playing) return
        this.note({ position: message.position })
        this.move(message.offset_ms)
        return
      case 'state':
        this.reach(message.duration_ms)
        if (message.as_of_ms !== undefined) {
          this.present.confirm(message.as_of_ms, this.environment.now())
          this.learn()
        }
        if (!this.connection.settled) return
        this.answered(message)
        this.takeSteps()
        return
      case 'error':
        // A session that was deleted is over. What else breaks a playback off may pass.
        if (this.current.live && [404, 410].includes(message.status)) this.over()
        else this.set({ trouble: message.detail ?? message.title })
        return
      case 'end':
        this.over()
    }
  }

  /** Applies an answer: all that was sent is done, or the server's player did something by itself. */
  private answered(message: State) {
    if (this.sync.desynced) return // it is sent to the moment before it plays
    // The server may have played to the end before it answered, and announced that before.
    const ended = message.op === 'end' || (message.state === 'ended' && this.current.playing)
    if (ended && this.current.running) {
      this.over()
      return
    }
    const { sets, fresh, onward } = this.sync.accept(message)
    const position = fresh ? message.position : this.current.position
    // The server's place is at the last frame that it played; live, the moment is the page's present. After the
    // last frame the session may last on: a step forward that finds no frame stays there.
    const place = onward ? Math.max(message.offset_ms, this.current.offset) : message.offset_ms
    const offset = message.live ? this.known() : place
    if (ended) this.settle(this.current.duration, { playing: false, position })
    else if (sets || message.op === 'loop')
      this.settle(offset, { position, playing: !message.paused, live: message.live })
    else if (!message.paused) this.set({ playing: true, live: message.live })
    // Paused, this player's moment does not move: the server's place is the same one.
    else if (this.current.playing) this.settle(offset, { playing: false, live: false, position })
    if (!message.paused) this.move(offset)
  }

  /** The session has ended, and with it what there is to follow. */
  private over() {
    const { live, edge } = this.current
    this.disconnect()
    this.sync.dropSteps()
    this.ending = live && this.known() < edge
    this.settle(Math.min(live ? this.known() : this.now(), edge), {
      running: false,
      live: false,
      playing: false,
      duration: edge,
    })
  }

  /** Something is known to have arrived by then. */
  private reach(offset: number) {
    const { edge, duration } = this.current
    if (offset <= edge) return
    this.present.edge = offset
    this.note({ edge: offset, duration: Math.max(duration, offset) })
    if (this.stopDrawing === null) this.set({})
  }

  /** Updates after new data of the session, or after it has become longer. */
  private learn() {
    const known = Math.max(this.known(), this.current.known)
    this.note({ known, duration: Math.max(this.current.duration, known) })
    if (this.stopDrawing === null) this.set({})
  }

  /** The server plays, and is at a moment: from there the clock goes on by itself. */
  private move(offset: number) {
    const now = this.environment.now()
    const { live, speed, running, idleLimit, duration, edge } = this.current
    if (live) this.clock = this.present.chase(this.clock, now)
    else {
      const from = corrected(this.clock, offset, now, tolerance * speed)
      const silence = idleLimit === null ? Infinity : offset + idleLimit
      this.clock = { offset: from, at: now, speed, ceiling: Math.min(silence, running ? edge : duration) }
    }
    if (this.stopDrawing === null) this.draw(true)
  }

  /** Shows where the clock is, before every picture. */
  private draw(on: boolean) {
    this.stopDrawing?.()
    this.stopDrawing = null
    if (!on) return
    this.stopDrawing = this.environment.beforeFrame(() => {
      if (this.current.live) this.clock = this.present.chase(this.clock, this.environment.now())
      const offset = this.now()
      const { duration, known } = this.current
      if (offset !== this.current.offset || this.dirty)
        this.set({ offset, duration: Math.max(duration, offset), known: Math.max(known, offset) })
      if (this.stopDrawing !== null) this.draw(true)
    })
  }
}

function clamp(offset: number, duration: number): number {
  return Math.min(Math.max(offset, 0), duration)
}
