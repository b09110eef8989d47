import { corrected, momentAt, type Clock } from './clock'
import { browser, type Connection, type Environment } from './environment'
import type { Player, PlayerState } from './player'
import { offsetOf } from './position'
import { Present } from './present'
import { idleLimitOf, placeAfter, replayAddress, type Control, type Message, type State } from './wire'

export interface Tape {
  session: string
  /** Of its first frame, as the server writes it. */
  started: string
  duration: number
  running: boolean
  /** For an open session, how long it has been running by the server's clock, ms. */
  age?: number
}

/** How often the server is told of the moment while somebody drags it, ms. */
const dragInterval = 100
/** How much wall time the moment may be ahead of the server's, ms. */
const tolerance = 250
/** The interval at which an open session's state is polled, ms, unless frames are played late. */
const askInterval = 1000
/** How long after a lost connection another is tried, ms: longer each time. */
const retries = [250, 500, 1000, 2000, 3000]

/**
 * Plays a session over the replay API's WebSocket. The time runs on the server: when which frame is due,
 * how long a silence lasts, where a loop begins. While nothing runs, the moment is this player's alone and
 * moves at once; the server hears of it before it is to play on.
 *
 * What is sent ends with a "state" control, whose answer says that all before it was obeyed. Cues that
 * come earlier speak of a moment that has been left. A step is followed by nothing, which would cut it short:
 * its own answer says so.
 */
export class ReplayPlayer implements Player {
  private current: PlayerState
  private readonly listeners = new Set<() => void>()
  private connection: Connection | null = null
  private connected = false
  private closed = true
  /** Controls that others end with, and that were not answered yet. */
  private awaited = 0
  /** The server is elsewhere than the moment, and is to be told before it plays. */
  private elsewhere = true
  /** What the next answer tells of the moment: where it is, at which frame it is, too, or nothing new. */
  private asks: 'nothing' | 'offset' | 'frame' = 'nothing'
  /** Frames the server had played when it was sent elsewhere: its position is older than that. */
  private playedBefore = -1
  /** How many frames to go on, or back, once the server is ready for it. */
  private frames = 0
  /** A step was sent, and not answered. */
  private stepping = false
  /** The session is over, and its last frames are not shown yet. */
  private ending = false
  /** Something changed that nobody was told of yet. */
  private untold = false
  private clock: Clock
  private readonly present: Present
  private stopDrawing: (() => void) | null = null
  private failures = 0
  private dragTimer: ReturnType<typeof setTimeout> | undefined
  private askTimer: ReturnType<typeof setInterval> | undefined
  private retryTimer: ReturnType<typeof setTimeout> | undefined

  constructor(
    private readonly tape: Tape,
    start: { offset: number; position: string | null } | null,
    private readonly around: Environment = browser,
  ) {
    const live = tape.running && start === null
    const duration = Math.max(tape.duration, tape.running ? (tape.age ?? 0) : 0)
    this.current = {
      offset: start === null ? tape.duration : clamp(start.offset, duration),
      position: start?.position ?? null,
      duration,
      edge: tape.duration,
      known: tape.duration,
      playing: live,
      speed: 1,
      idleLimit: null,
      loop: false,
      running: tape.running,
      live,
      trouble: null,
    }
    this.clock = { offset: this.current.offset, at: 0, speed: 0, ceiling: Infinity }
    this.present = new Present(tape.duration)
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

  /** Sets how long the session is by now, and how long it has been running, ms. */
  grown(duration: number, age = 0) {
    this.reach(duration)
    if (this.current.running && age > this.current.duration) this.set({ duration: age })
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

  /** Has it that the session is no more: what is shown stays, and there is nothing to play. */
  gone() {
    this.over()
    this.set({ trouble: null })
    this.closed = true
  }

  subscribe = (changed: () => void): (() => void) => {
    this.listeners.add(changed)
    return () => this.listeners.delete(changed)
  }

  state = (): PlayerState => this.current

  play = () => {
    const { offset, duration, running, playing } = this.current
    if (playing || this.closed) return
    if (offset >= duration && running) {
      this.goLive()
      return
    }
    if (offset >= duration) this.leap(0, null)
    this.set({ playing: true, trouble: null })
    this.tell([...this.whereabouts(), { op: 'resume' }])
  }

  pause = () => {
    if (!this.current.playing) return
    // The server plays frames of a live session before this page has fetched their facts.
    if (this.current.live) this.elsewhere = true
    this.settle(this.now(), { playing: false, live: false })
    if (!this.elsewhere) this.asks = 'offset'
    this.tell([{ op: 'pause' }])
  }

  seek = (offset: number) => this.goTo(clamp(offset, this.current.duration), null)

  seekTo = (position: string) => {
    const offset = offsetOf(position, this.tape.started)
    if (!Number.isNaN(offset)) this.goTo(clamp(offset, this.current.duration), position)
  }

  step = (frames: number) => {
    this.ending = false
    this.settle(this.now(), { playing: false, live: false, trouble: null })
    this.frames += frames
    if (!this.connected) this.connect()
    else if (!this.stepping) this.takeSteps()
  }

  setSpeed = (speed: number) => {
    this.settle(this.now(), { speed, live: this.current.live && speed >= 1 })
    this.tell([{ op: 'speed', value: speed }])
  }

  setIdleLimit = (idleLimit: number | null) => {
    this.settle(this.now(), { idleLimit })
    this.tell([{ op: 'idle_limit', value: idleLimitOf(idleLimit) }])
  }

  setLoop = (loop: boolean) => {
    this.set({ loop })
    this.tell([{ op: 'loop', value: loop }])
  }

  goLive = () => {
    if (!this.current.running) return
    this.elsewhere = false
    this.playedBefore = Infinity
    this.asks = 'offset'
    this.settle(this.known(), { playing: true, live: true, position: null, trouble: null })
    this.tell([{ op: 'live' }])
  }

  /** The moment by the clock. In an open session it stops at the known end. */
  private now(): number {
    const moment = momentAt(this.clock, this.around.now())
    return this.current.running ? Math.max(Math.min(moment, this.known()), this.clock.offset) : moment
  }

  private known(): number {
    return this.present.known(this.around.now())
  }

  /** Goes to a moment. A server that plays is told at once, or soon if it was told just now. */
  private goTo(offset: number, position: string | null) {
    const { playing, live } = this.current
    this.leap(offset, position)
    if (live) this.set({ live: false })
    if (playing && this.dragTimer === undefined) this.dragged()
  }

  private dragged() {
    this.dragTimer = undefined
    if (!this.elsewhere || !this.current.playing) return
    this.tell(this.whereabouts())
    this.dragTimer = setTimeout(() => this.dragged(), dragInterval)
  }

  private leap(offset: number, position: string | null) {
    this.ending = false
    this.elsewhere = true
    this.asks = 'nothing'
    this.settle(offset, { position })
  }

  /** What brings the server to the moment, if it is elsewhere: just after the frames that are shown. */
  private whereabouts(): Control[] {
    if (!this.elsewhere) return []
    this.elsewhere = false
    this.playedBefore = Infinity
    return [{ op: 'seek', to: placeAfter(this.current.offset) }]
  }

  /** Sends all steps that were asked for as one. Those asked for before it is answered come after it. */
  private takeSteps() {
    if (this.frames === 0 || this.current.playing) return
    const place = this.whereabouts()
    this.asks = 'frame'
    this.stepping = true
    this.send([{ op: 'pause' }, ...place, { op: 'step', frames: this.frames }])
    this.frames = 0
  }

  /** Stands still at a moment, until the server says how it goes on. */
  private settle(offset: number, change: Partial<PlayerState>) {
    this.clock = { offset, at: this.around.now(), speed: 0, ceiling: Infinity }
    this.draw(false)
    this.set({ ...change, offset, duration: Math.max(change.duration ?? this.current.duration, offset) })
  }

  private set(change: Partial<PlayerState>) {
    this.current = { ...this.current, ...change }
    this.untold = false
    for (const changed of this.listeners) changed()
  }

  /** Notes what the next picture is to show. */
  private note(change: Partial<PlayerState>) {
    this.current = { ...this.current, ...change }
    this.untold = true
  }

  /** Sends controls. A connection that has yet to be made begins with all that the state asks for. */
  private tell(controls: Control[]) {
    if (this.connected) this.send([...controls, { op: 'state' }])
    else if (this.current.playing || this.frames !== 0) this.connect()
  }

  private send(controls: Control[]) {
    for (const control of controls) this.connection?.send(JSON.stringify(control))
    this.awaited++
  }

  private connect() {
    if (this.connection !== null || this.closed) return
    clearTimeout(this.retryTimer)
    const mine = () => this.connection === connection
    const connection = this.around.connect(replayAddress(this.tape.session, this.current.running), {
      opened: () => {
        if (mine()) this.opened()
      },
      heard: (text) => {
        if (mine()) this.hear(JSON.parse(text) as Message)
      },
      closed: () => {
        if (mine()) this.lost()
      },
    })
    this.connection = connection
  }

  /** Has the server be as this player is. */
  private opened() {
    this.connected = true
    this.failures = 0
    const { speed, idleLimit, loop, live, playing } = this.current
    this.elsewhere = !live
    this.send([
      { op: 'pause' },
      { op: 'speed', value: speed },
      { op: 'idle_limit', value: idleLimitOf(idleLimit) },
      { op: 'loop', value: loop },
      ...(live ? ([{ op: 'live' }] as const) : this.whereabouts()),
      ...(playing && !live ? ([{ op: 'resume' }] as const) : []),
      { op: 'state' },
    ])
    this.takeSteps()
    this.set({ trouble: null })
    if (this.current.running) this.askTimer = setInterval(this.ask, askInterval)
  }

  /** Polls the session's state. When it is played late, frames carry it. */
  private ask = () => {
    const { playing, live } = this.current
    if ((!playing || live) && this.awaited === 0) this.send([{ op: 'state' }])
  }

  private disconnect() {
    const { connection } = this
    this.connection = null
    this.connected = false
    this.awaited = 0
    this.stepping = false
    this.elsewhere = true
    clearInterval(this.askTimer)
    clearTimeout(this.retryTimer)
    clearTimeout(this.dragTimer)
    this.dragTimer = undefined
    this.draw(false)
    connection?.close()
  }

  /** The connection is gone. If it is needed another one takes up at the same moment. */
  private lost() {
    const { playing, running, position, trouble } = this.current
    const needed = playing || running || this.frames !== 0
    this.disconnect()
    this.settle(this.now(), { position, ...(!needed && { trouble: null }) })
    if (!needed) return
    const wait = retries[Math.min(this.failures++, retries.length - 1)] ?? 0
    if (this.failures > 1)
      this.set({ trouble: trouble ?? 'The connection to the server is lost. Trying again …' })
    this.retryTimer = setTimeout(() => this.connect(), wait)
  }

  private hear(message: Message) {
    switch (message.type) {
      case 'cue':
        this.reach(message.offset_ms)
        if (this.awaited > 0 || this.elsewhere || !this.current.playing) return
        this.note({ position: message.position })
        this.move(message.offset_ms)
        return
      case 'state':
        if (message.op === 'state' || message.op === 'step') this.awaited--
        if (message.op === 'step') this.stepping = false
        this.reach(message.duration_ms)
        if (message.as_of_ms !== undefined) {
          this.present.confirm(message.as_of_ms, this.around.now())
          this.learn()
        }
        if (this.awaited > 0) return
        this.answered(message)
        this.takeSteps()
        return
      case 'error':
        if (this.stepping) {
          this.stepping = false
          this.awaited--
        }
        if (this.current.live) this.over()
        else this.set({ trouble: message.detail ?? message.title })
        return
      case 'end':
        this.over()
    }
  }

  /** All that was sent was obeyed, or the server's player did something of itself. */
  private answered(message: State) {
    if (this.elsewhere) return // and will be told
    if (message.op === 'end' && this.current.running) {
      this.over()
      return
    }
    if (this.playedBefore === Infinity) this.playedBefore = message.frames
    const { asks } = this
    this.asks = 'nothing'
    const fresh = asks === 'frame' || message.frames > this.playedBefore
    const position = fresh ? message.position : this.current.position
    // The server's place is at the last frame that it played; live, the moment is the page's present.
    const offset = message.live ? this.known() : message.offset_ms
    if (message.op === 'end') this.settle(this.current.duration, { playing: false, position })
    else if (asks !== 'nothing' || message.op === 'loop')
      this.settle(offset, { position, playing: !message.paused, live: message.live })
    else if (!message.paused) this.set({ playing: true, live: message.live })
    // Paused, this player's moment stands: the server's place is the same one.
    else if (this.current.playing) this.settle(offset, { playing: false, live: false, position })
    if (!message.paused) this.move(offset)
  }

  /** The session has ended, and with it what there is to follow. */
  private over() {
    const { live, edge } = this.current
    this.disconnect()
    this.frames = 0
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
    const now = this.around.now()
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
    this.stopDrawing = this.around.beforeFrame(() => {
      if (this.current.live) this.clock = this.present.chase(this.clock, this.around.now())
      const offset = this.now()
      const { duration, known } = this.current
      if (offset !== this.current.offset || this.untold)
        this.set({ offset, duration: Math.max(duration, offset), known: Math.max(known, offset) })
      if (this.stopDrawing !== null) this.draw(true)
    })
  }
}

function clamp(offset: number, duration: number): number {
  return Math.min(Math.max(offset, 0), duration)
}
