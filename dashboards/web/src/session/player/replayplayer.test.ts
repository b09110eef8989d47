import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Listener } from './environment'
import { ReplayPlayer } from './replayplayer'
import type { Message } from './wire'

const started = '2026-01-02T03:04:05.000000000Z'
const position = (ms: number) => `${1_767_323_045_000 + ms}000000.stream.${ms}`

/** A server's end of the connections that a player makes, and the screen. */
class Stage {
  sent: { op: string; to?: string; frames?: number; value?: unknown }[] = []
  lastSent = ''
  connections: Listener[] = []
  time = 0
  private frame: (() => void) | null = null
  readonly player: ReplayPlayer

  constructor(
    running = false,
    start: { offset: number; position: string | null } | null = null,
    duration = 10_000,
    age?: number,
  ) {
    vi.stubGlobal('location', { protocol: 'http:', host: 'deck' })
    this.player = new ReplayPlayer(
      { session: 's', started, duration, running, ...(age !== undefined && { age }) },
      start,
      {
        connect: (_, listener) => {
          this.connections.push(listener)
          return {
            send: (text) => {
              const control = JSON.parse(text) as { op: string }
              this.sent.push(control)
              this.lastSent = control.op
            },
            close: () => undefined,
          }
        },
        now: () => this.time,
        beforeFrame: (draw) => {
          this.frame = draw
          return () => (this.frame = null)
        },
      },
    )
    this.player.open()
  }

  get listener(): Listener {
    const listener = this.connections.at(-1)
    if (listener === undefined) throw new Error('no connection')
    return listener
  }

  accept() {
    this.listener.opened()
  }

  /** What was sent since the last call. */
  took() {
    return this.sent.splice(0).filter((c) => c.op !== 'state')
  }

  say(message: Message) {
    this.listener.received(JSON.stringify(message))
  }

  cue(ms: number, frames = 1) {
    this.say({ type: 'cue', position: position(ms), offset_ms: ms, frames })
  }

  answer(ms: number, more: Partial<Extract<Message, { type: 'state' }>> = {}) {
    this.say({
      ...{ type: 'state', op: 'state', position: position(ms), offset_ms: ms, duration_ms: 10_000 },
      ...{ paused: false, frames: 0, live: false, state: more.paused === true ? 'paused' : 'playing' },
      ...more,
    })
  }

  /** Draws the screen after some time. */
  after(ms: number) {
    this.time += ms
    vi.advanceTimersByTime(ms)
    const draw = this.frame
    this.frame = null
    draw?.()
    return this.player.state()
  }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('a session that is over is shown whole, and nothing is asked of the server until it is to play', () => {
  const stage = new Stage()
  expect(stage.player.state()).toMatchObject({ offset: 10_000, playing: false, live: false })
  stage.player.seek(3000)
  expect(stage.player.state()).toMatchObject({ offset: 3000, position: null })
  expect(stage.connections).toHaveLength(0)
  stage.player.play()
  stage.accept()
  expect(stage.took()).toEqual([
    { op: 'pause' },
    { op: 'speed', value: 1 },
    { op: 'idle_limit', value: null },
    { op: 'loop', value: false },
    { op: 'seek', to: '+3000000001ns' },
    { op: 'resume' },
  ])
})

test('at the end, play begins at the start', () => {
  const stage = new Stage()
  stage.player.play()
  expect(stage.player.state()).toMatchObject({ offset: 0, playing: true })
})

test('the moment moves on between cues, and stands until the server plays', () => {
  const stage = new Stage(false, { offset: 0, position: null })
  stage.player.play()
  stage.accept()
  expect(stage.after(500).offset).toBe(0)
  stage.answer(0)
  expect(stage.after(100)).toMatchObject({ offset: 100, playing: true })
  stage.cue(90)
  expect(stage.after(10)).toMatchObject({ offset: 110, position: position(90) })
  stage.cue(400)
  expect(stage.after(0).offset).toBe(400)
})

test('it does not go beyond the end of the tape, or of a silence that is cut short', () => {
  const stage = new Stage(false, { offset: 9000, position: null })
  stage.player.setIdleLimit(200)
  stage.player.play()
  stage.accept()
  stage.answer(9000)
  expect(stage.after(500).offset).toBe(9200)
  stage.cue(9900)
  expect(stage.after(5000).offset).toBe(10_000)
  stage.answer(9900, { op: 'end', paused: true, frames: 4 })
  expect(stage.after(10)).toMatchObject({ offset: 10_000, playing: false })
})

test('where the session lasts on after its last frame, playing goes to its end, and a step stays', () => {
  const stage = new Stage(false, { offset: 5000, position: null }) // the last frame is at 4000
  const end = { paused: true, state: 'ended' } as const
  stage.player.step(1)
  stage.accept()
  stage.answer(4000, end)
  stage.answer(4000, { ...end, op: 'step' })
  expect(stage.player.state().offset).toBe(5000)
  stage.player.play()
  stage.answer(4000, { ...end, op: 'end' }) // announced before the answer to "state"
  expect(stage.player.state()).toMatchObject({ offset: 5000, playing: true })
  stage.answer(4000, end)
  expect(stage.after(100)).toMatchObject({ offset: 10_000, playing: false })
  stage.player.step(-1)
  stage.answer(3000, { ...end, state: 'paused', op: 'step' })
  expect(stage.player.state().offset).toBe(3000)
})

test('a moment at the end of a session stays there when the end of its streams is stored', () => {
  const stage = new Stage()
  stage.player.grown(10_480)
  expect(stage.player.state()).toMatchObject({ offset: 10_480, duration: 10_480 })
  stage.player.seek(3000)
  stage.player.grown(11_000)
  expect(stage.player.state()).toMatchObject({ offset: 3000, duration: 11_000 })
})

test('a session that was watched to its last frame is shown at its end', () => {
  const stage = new Stage(true)
  stage.accept()
  stage.answer(10_000, { live: true, as_of_ms: 10_000 })
  stage.say({ type: 'end' })
  expect(stage.player.state()).toMatchObject({ running: false, offset: 10_000, duration: 10_000 })
  stage.player.grown(780_000)
  expect(stage.player.state()).toMatchObject({ offset: 780_000, duration: 780_000, playing: false })
})

test('cues of a moment that was left are ignored', () => {
  const stage = new Stage(false, { offset: 0, position: null })
  stage.player.play()
  stage.accept()
  stage.answer(0)
  stage.took()
  stage.player.seek(8000)
  stage.cue(120)
  expect(stage.after(10)).toMatchObject({ offset: 8000, playing: true })
  expect(stage.took()).toEqual([{ op: 'seek', to: '+8000000001ns' }])
  stage.answer(8000)
  stage.cue(8010)
  expect(stage.after(0).offset).toBe(8010)
})

test('while the moment is dragged the server seeks ten times a second, and to the last place', () => {
  const stage = new Stage(false, { offset: 0, position: null })
  stage.player.play()
  stage.accept()
  stage.answer(0)
  stage.took()
  for (let ms = 0; ms < 250; ms += 10) {
    stage.player.seek(5000 + ms)
    vi.advanceTimersByTime(10)
  }
  vi.advanceTimersByTime(1000)
  const places = stage.took().map((c) => c.to)
  expect(places).toHaveLength(4)
  expect(places.at(-1)).toBe('+5240000001ns')
})

test('paused, the moment is where the server stopped', () => {
  const stage = new Stage(false, { offset: 0, position: null })
  stage.player.play()
  stage.accept()
  stage.answer(0)
  stage.cue(500)
  stage.after(60)
  stage.player.pause()
  expect(stage.player.state()).toMatchObject({ playing: false, offset: 560 })
  stage.answer(555, { paused: true, position: position(500), frames: 3 })
  expect(stage.after(100)).toMatchObject({ offset: 555, position: position(500), playing: false })
})

test('a step after a seek goes on from just after what is shown', () => {
  const stage = new Stage(false, { offset: 700, position: null })
  stage.player.step(1)
  stage.accept()
  expect(stage.took().slice(4)).toEqual([
    { op: 'seek', to: '+700000001ns' },
    { op: 'pause' },
    { op: 'step', frames: 1 },
  ])
  expect(stage.lastSent).toBe('step') // what follows would cut it short
  stage.answer(700, { paused: true })
  expect(stage.player.state().offset).toBe(700)
  stage.answer(750, { op: 'step', paused: true, frames: 1 })
  expect(stage.player.state()).toMatchObject({ offset: 750, position: position(750) })
  stage.player.step(-1)
  expect(stage.took()).toEqual([{ op: 'pause' }, { op: 'step', frames: -1 }])
  stage.player.step(-1)
  stage.player.step(-2)
  expect(stage.took()).toEqual([])
  stage.answer(690, { op: 'step', paused: true, frames: 1 })
  expect(stage.took()).toEqual([{ op: 'pause' }, { op: 'step', frames: -3 }])
  stage.answer(600, { op: 'step', paused: true, frames: 1 })
  expect(stage.player.state()).toMatchObject({ offset: 600, position: position(600) })
})

test('a frame that was gone to counts as played', () => {
  const stage = new Stage()
  stage.player.seekTo(position(1234))
  expect(stage.player.state()).toMatchObject({ offset: 1234, position: position(1234) })
  stage.player.step(1)
  stage.accept()
  expect(stage.took().slice(4)).toEqual([
    { op: 'seek', to: '+1234000001ns' },
    { op: 'pause' },
    { op: 'step', frames: 1 },
  ])
})

test('a session that runs is followed, paused, rewound, and live again', () => {
  const stage = new Stage(true)
  expect(stage.player.state()).toMatchObject({ live: true, playing: true, running: true })
  stage.accept()
  expect(stage.took().at(-1)).toEqual({ op: 'live' })
  stage.answer(10_000, { live: true })
  stage.cue(12_000)
  // What the frame says has yet to be fetched.
  expect(stage.after(100)).toMatchObject({ offset: 10_000, edge: 12_000, duration: 12_000 })
  stage.player.loaded(12_000)
  stage.after(20)
  for (let i = 0; i < 40; i++) stage.after(25)
  expect(stage.player.state()).toMatchObject({ offset: 12_000, known: 12_000 })
  stage.player.pause()
  expect(stage.took()).toEqual([{ op: 'pause' }])
  stage.answer(12_000, { paused: true, frames: 5, position: position(12_000) })
  stage.after(1000)
  stage.answer(12_000, { paused: true, duration_ms: 14_000 })
  expect(stage.player.state()).toMatchObject({ offset: 12_000, edge: 14_000, duration: 14_000, live: false })
  stage.player.loaded(14_500)
  stage.player.seek(4000)
  stage.took()
  stage.player.play()
  expect(stage.took()).toEqual([{ op: 'seek', to: '+4000000001ns' }, { op: 'resume' }])
  stage.answer(4000)
  expect(stage.after(50)).toMatchObject({ offset: 4050, live: false, playing: true })
  stage.player.goLive()
  stage.answer(12_000, { live: true, duration_ms: 14_500 })
  expect(stage.after(0)).toMatchObject({ offset: 14_500, live: true })
  stage.answer(15_000, { op: 'end', paused: true, duration_ms: 15_000 })
  stage.player.loaded(15_000)
  expect(stage.player.state()).toMatchObject({ offset: 15_000, running: false, live: false, playing: false })
})

test('after a lost connection it plays on from the same moment', () => {
  const stage = new Stage(false, { offset: 0, position: null })
  stage.player.play()
  stage.player.setSpeed(2)
  stage.accept()
  stage.answer(0)
  stage.cue(2000)
  stage.after(0)
  stage.took()
  stage.listener.closed()
  expect(stage.after(300)).toMatchObject({ offset: 2000, playing: true, trouble: null })
  expect(stage.connections).toHaveLength(2)
  stage.accept()
  expect(stage.took()).toEqual([
    { op: 'pause' },
    { op: 'speed', value: 2 },
    { op: 'idle_limit', value: null },
    { op: 'loop', value: false },
    { op: 'seek', to: '+2000000001ns' },
    { op: 'resume' },
  ])
})

test('a server that stays away is reported', () => {
  const stage = new Stage(false, { offset: 0, position: null })
  stage.player.play()
  stage.listener.closed()
  stage.after(250)
  stage.listener.closed()
  expect(stage.player.state().trouble).toMatch(/connection/)
  stage.after(500)
  stage.accept()
  expect(stage.player.state().trouble).toBeNull()
})

test('a control that is refused is reported', () => {
  const stage = new Stage(false, { offset: 0, position: null })
  stage.player.play()
  stage.accept()
  stage.say({ type: 'error', title: 'Parameter not valid', status: 400, detail: 'not that' })
  expect(stage.player.state().trouble).toBe('not that')
})

test('an error while live is reported, and the session is followed again after longer and longer waits', () => {
  const stage = new Stage(true)
  for (const wait of [250, 500, 1000]) {
    stage.accept()
    stage.answer(10_000, { live: true })
    stage.say({ type: 'error', title: 'Recording not readable', status: 503 })
    stage.listener.closed()
    expect(stage.player.state()).toMatchObject({
      running: true,
      live: true,
      trouble: 'Recording not readable',
    })
    const { length } = stage.connections
    stage.after(wait - 1)
    expect(stage.connections).toHaveLength(length)
    stage.after(1)
    expect(stage.connections).toHaveLength(length + 1)
  }
  stage.accept()
  expect(stage.player.state()).toMatchObject({ live: true, trouble: null })
  stage.say({ type: 'error', title: 'Session deleted', status: 410 })
  expect(stage.player.state()).toMatchObject({ running: false, live: false })
})

test('a loop begins again where the server begins it', () => {
  const stage = new Stage(false, { offset: 9000, position: null })
  stage.player.setLoop(true)
  stage.player.play()
  stage.accept()
  stage.answer(9000)
  stage.after(900)
  stage.answer(0, { op: 'loop', frames: 12 })
  expect(stage.after(100)).toMatchObject({ offset: 100, playing: true })
})

test('of a session that cannot be played the moment stays, and nothing plays', () => {
  const stage = new Stage(true)
  stage.accept()
  stage.answer(10_000, { live: true })
  stage.after(100)
  stage.player.bar('It has been deleted.')
  expect(stage.player.state()).toMatchObject({ running: false, live: false, playing: false, trouble: null })
  stage.player.play()
  stage.player.step(1)
  stage.player.goLive()
  stage.after(60_000)
  expect(stage.player.state().playing).toBe(false)
  expect(stage.connections).toHaveLength(1)
  stage.player.seek(1000)
  expect(stage.player.state().offset).toBe(1000)
})

test('after a pause a server that is away is reported no longer', () => {
  const stage = new Stage(false, { offset: 0, position: null })
  stage.player.play()
  stage.listener.closed()
  stage.after(250)
  stage.listener.closed()
  stage.player.pause()
  stage.after(500)
  stage.listener.closed()
  expect(stage.player.state().trouble).toBeNull()
})

test('the present of a silent session is as late as the server reports, and no later than it was last asked', () => {
  const stage = new Stage(true)
  stage.accept()
  stage.answer(10_000, { live: true, as_of_ms: 780_000 })
  expect(stage.after(10)).toMatchObject({ offset: 780_010, duration: 780_010, edge: 10_000 })
  expect(stage.after(990).offset).toBe(781_000)
  stage.answer(10_000, { live: true, as_of_ms: 781_200 })
  for (let i = 0; i < 40; i++) stage.after(25)
  expect(Math.abs(stage.player.state().offset - 782_200)).toBeLessThan(50)
  for (let i = 0; i < 10; i++) stage.after(1000)
  expect(stage.player.state().offset).toBe(784_200) // it has not answered for three seconds
})

test('a live session stands where its data ends while frames are known that are not in it', () => {
  const stage = new Stage(true)
  stage.accept()
  stage.answer(10_000, { live: true, as_of_ms: 10_100 })
  stage.after(0)
  stage.after(300)
  const { offset } = stage.player.state()
  expect(offset).toBeGreaterThan(10_000)
  stage.cue(10_500)
  stage.answer(10_500, { live: true, duration_ms: 10_500, as_of_ms: 14_000 })
  for (let i = 0; i < 40; i++) stage.after(100)
  expect(stage.player.state()).toMatchObject({ known: offset, offset })
  stage.player.loaded(10_500)
  stage.after(0)
  expect(stage.after(2000).offset).toBeGreaterThan(14_000)
})

test('at the end of a live session the moment waits for what the last frames say', () => {
  const stage = new Stage(true)
  stage.accept()
  stage.answer(10_000, { live: true, as_of_ms: 10_000 })
  stage.cue(13_000)
  stage.answer(13_000, { op: 'end', paused: true, duration_ms: 13_000 })
  expect(stage.player.state()).toMatchObject({ running: false, offset: 10_000, duration: 13_000 })
  stage.player.loaded(12_000)
  expect(stage.player.state().offset).toBe(10_000)
  stage.player.loaded(13_000)
  expect(stage.player.state()).toMatchObject({ offset: 13_000, playing: false })
})

test('a session whose recorder is gone is live no longer', () => {
  const stage = new Stage(true)
  stage.accept()
  stage.answer(10_000, { live: true, as_of_ms: 60_000 })
  stage.after(10)
  stage.player.finish()
  expect(stage.player.state()).toMatchObject({ running: true, live: true })
  stage.player.finish(true)
  expect(stage.player.state()).toMatchObject({ running: false, offset: 10_000, duration: 10_000 })
})

test('a session that was silent when it was opened begins at its present, one whose frames are on their way at its data', () => {
  expect(new Stage(true, null, 10_000, 2_605_000).player.state()).toMatchObject({
    ...{ offset: 2_605_000, known: 2_605_000, duration: 2_605_000, edge: 10_000 },
  })
  expect(new Stage(true, null, 10_000, 11_000).player.state()).toMatchObject({
    offset: 10_000,
    known: 10_000,
  })
  const linked = new Stage(true, { offset: 5_000, position: null }, 10_000, 2_605_000)
  expect(linked.player.state()).toMatchObject({ offset: 5_000, known: 2_605_000 })
})
