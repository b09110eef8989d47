import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Control, Cue, State } from '../session/player/wire'
import { Playback, type Timing } from './playback'

/** A clock that a test moves. */
class Clock implements Timing {
  private time = 0
  private timers: { at: number; run: () => void }[] = []
  now = () => this.time
  after = (ms: number, run: () => void) => {
    const timer = { at: this.time + ms, run }
    this.timers.push(timer)
    return () => {
      this.timers = this.timers.filter((other) => other !== timer)
    }
  }

  /** Moves the clock, and runs what is due, in order. */
  pass(ms: number) {
    const end = this.time + ms
    for (;;) {
      const due = this.timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0]
      if (due === undefined) break
      this.timers = this.timers.filter((other) => other !== due)
      this.time = Math.max(due.at, this.time)
      due.run()
    }
    this.time = end
  }
}

const frames = [
  { position: 'a', offset_ms: 0 },
  { position: 'b', offset_ms: 100 },
  { position: 'c', offset_ms: 100 },
  { position: 'd', offset_ms: 5000 },
]

function playback() {
  const clock = new Clock()
  const received: string[] = []
  let opened = 0
  const playing = new Playback(
    frames,
    6000,
    {
      opened: () => opened++,
      received: (text) => {
        const message = JSON.parse(text) as Cue | State
        received.push(
          message.type === 'cue'
            ? `${clock.now()} cue ${message.position} ${message.offset_ms} ${message.frames}`
            : `${clock.now()} ${message.op} ${message.state} ${message.position ?? '-'} ${message.offset_ms}`,
        )
      },
      closed: () => undefined,
    },
    clock,
  )
  clock.pass(0)
  expect(opened).toBe(1)
  const send = (...controls: Control[]) => controls.forEach((c) => playing.send(JSON.stringify(c)))
  const said = () => received.splice(0)
  return { clock, playing, send, said }
}

describe('the playback of a file', () => {
  it('begins paused, and plays frames at their times', () => {
    const { clock, send, said } = playback()
    clock.pass(1000)
    expect(said()).toEqual([])
    send({ op: 'resume' }, { op: 'state' })
    clock.pass(7000)
    expect(said()).toEqual([
      '1000 state playing - 0',
      '1000 cue a 0 1',
      '1100 cue c 100 2',
      '6000 cue d 5000 1',
      '6000 end ended d 5000',
    ])
  })

  it('plays at another speed, and shortens silences', () => {
    const { clock, send, said } = playback()
    send({ op: 'speed', value: 10 }, { op: 'idle_limit', value: '1000ms' }, { op: 'resume' })
    clock.pass(1000)
    expect(said()).toEqual(['0 cue a 0 1', '10 cue c 100 2', '110 cue d 5000 1', '110 end ended d 5000'])
  })

  it('goes on where it paused', () => {
    const { clock, send, said } = playback()
    send({ op: 'resume' })
    clock.pass(60)
    send({ op: 'pause' }, { op: 'state' })
    clock.pass(500)
    send({ op: 'resume' })
    clock.pass(50)
    expect(said()).toEqual(['0 cue a 0 1', '60 state paused a 60', '600 cue c 100 2'])
  })

  it('begins just after the frames that had arrived by a moment', () => {
    const { clock, send, said } = playback()
    send({ op: 'seek', to: '+100000001ns' }, { op: 'state' }, { op: 'resume' })
    clock.pass(5000)
    expect(said()).toEqual(['0 state paused c 100', '4900 cue d 5000 1', '4900 end ended d 5000'])
  })

  it('steps frame by frame, forward and back', () => {
    const { send, said } = playback()
    send(
      { op: 'step', frames: 2 },
      { op: 'step', frames: 9 },
      { op: 'step', frames: -3 },
      { op: 'step', frames: -3 },
    )
    expect(said()).toEqual([
      '0 step paused b 100',
      '0 step paused d 5000',
      '0 step paused a 0',
      '0 step paused - 0',
    ])
  })

  it('begins again at its end, in a loop', () => {
    const { clock, send, said } = playback()
    send({ op: 'loop', value: true }, { op: 'seek', to: '+4900000001ns' }, { op: 'resume' })
    clock.pass(150)
    expect(said()).toEqual(['100 cue d 5000 1', '100 loop playing - 0', '100 cue a 0 1'])
  })

  it('says nothing once it is closed', () => {
    const { clock, playing, send, said } = playback()
    send({ op: 'resume' })
    playing.close()
    send({ op: 'state' })
    clock.pass(10_000)
    expect(said()).toEqual([])
  })
})

describe('with the timers of the browser', () => {
  afterEach(() => void vi.useRealTimers())

  it('does not skip a silence of weeks', () => {
    vi.useFakeTimers()
    const month = 30 * 24 * 60 * 60 * 1000
    const cues: string[] = []
    const playing = new Playback(
      [
        { position: 'a', offset_ms: 0 },
        { position: 'b', offset_ms: month },
      ],
      month,
      {
        opened: () => undefined,
        received: (text) => {
          const message = JSON.parse(text) as Cue | State
          if (message.type === 'cue') cues.push(message.position)
        },
        closed: () => undefined,
      },
    )
    playing.send(JSON.stringify({ op: 'resume' }))
    vi.advanceTimersByTime(60_000)
    playing.close()
    expect(cues).toEqual(['a'])
  })
})
