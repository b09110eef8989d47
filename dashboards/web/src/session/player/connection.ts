import type { Connection, Environment } from './environment'
import { replayAddress, type Control, type Message } from './wire'

/** How often the state of an open session is polled, ms. */
const pollInterval = 1000
/** How long after a lost connection the next is tried, ms: longer after each failure. */
const retries = [250, 500, 1000, 2000, 3000]

/** What a replay connection reports to. */
export interface ReplayListener {
  opened(): void
  received(message: Message): void
  lost(): void
}

/**
 * The replay WebSocket of one session. It sends controls, counts the answers that are outstanding, polls, and
 * reconnects with backoff.
 *
 * What is sent ends with a "state" control, whose answer confirms all controls before it. A step is followed by
 * nothing, since that would cut it short: its own answer confirms it.
 */
export class ReplayConnection {
  /** The connection is open: controls can be sent. */
  ready = false
  /** A step was sent and is not answered. */
  stepping = false
  private socket: Connection | null = null
  private outstanding = 0
  private failures = 0
  private failuresBefore = 0
  private pollTimer: ReturnType<typeof setInterval> | undefined
  private retryTimer: ReturnType<typeof setTimeout> | undefined

  constructor(
    private readonly session: string,
    private readonly environment: Environment,
    private readonly listener: ReplayListener,
  ) {}

  /** Whether everything that was sent is answered. */
  get settled(): boolean {
    return this.outstanding <= 0
  }

  /** Connects, unless a connection is open or being opened. */
  open(follow: boolean) {
    if (this.socket !== null) return
    clearTimeout(this.retryTimer)
    const current = () => this.socket === socket
    const socket = this.environment.connect(replayAddress(this.session, follow), {
      opened: () => {
        if (!current()) return
        this.ready = true
        this.failuresBefore = this.failures
        this.failures = 0
        this.listener.opened()
      },
      received: (text) => {
        if (current()) this.receive(JSON.parse(text) as Message)
      },
      closed: () => {
        if (current()) this.listener.lost()
      },
    })
    this.socket = socket
  }

  /** Sends controls of which the last one is answered. */
  send(controls: readonly Control[]) {
    for (const control of controls) this.socket?.send(JSON.stringify(control))
    this.outstanding++
    if (controls.at(-1)?.op === 'step') this.stepping = true
  }

  /** Polls the state of the session, whenever `needed` and no answer is outstanding. */
  poll(needed: () => boolean) {
    this.pollTimer = setInterval(() => {
      if (needed() && this.settled) this.send([{ op: 'state' }])
    }, pollInterval)
  }

  close() {
    const { socket } = this
    this.socket = null
    this.ready = false
    this.outstanding = 0
    this.stepping = false
    clearInterval(this.pollTimer)
    clearTimeout(this.retryTimer)
    socket?.close()
  }

  /** Connects again after a while. Returns how many attempts have failed in a row, this one included. */
  retry(connect: () => void): number {
    const wait = retries[Math.min(this.failures++, retries.length - 1)] ?? 0
    this.retryTimer = setTimeout(connect, wait)
    return this.failures
  }

  private receive(message: Message) {
    // A connection that the server breaks off with an error counts as a failed attempt.
    if (message.type === 'error') this.failures = this.failuresBefore
    const stepped =
      message.type === 'error' ? this.stepping : message.type === 'state' && message.op === 'step'
    if (stepped) this.stepping = false
    if (stepped || (message.type === 'state' && message.op === 'state')) this.outstanding--
    this.listener.received(message)
  }
}
