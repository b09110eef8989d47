import { isShared, socketAddress } from '../../api/client'

/** The connection that cues come over. */
export interface Connection {
  send(text: string): void
  close(): void
}

/** What a connection reports to. */
export interface Listener {
  opened(): void
  received(text: string): void
  closed(): void
}

/** What the player uses of the browser. */
export interface Environment {
  connect(address: string, listener: Listener): Connection
  /** The time of a monotonic clock, ms. */
  now(): number
  /** Calls back before the next picture is drawn; the returned function cancels that. */
  beforeFrame(draw: () => void): () => void
}

export const browser: Environment = {
  connect: (address, listener) => (isShared() ? later(address, listener) : connect(address, listener)),
  now: () => performance.now(),
  beforeFrame: paced(),
}

function connect(address: string, listener: Listener): WebSocket {
  const socket = new WebSocket(address)
  socket.onopen = () => listener.opened()
  socket.onmessage = (event: MessageEvent<string>) => listener.received(event.data)
  socket.onclose = () => listener.closed()
  return socket
}

/** A connection for which a ticket is fetched first. */
function later(address: string, listener: Listener): Connection {
  let socket: WebSocket | null = null
  let closed = false
  socketAddress(address).then(
    (complete) => {
      if (!closed) socket = connect(complete, listener)
    },
    () => {
      if (!closed) listener.closed()
    },
  )
  return {
    send: (text) => socket?.send(text),
    close: () => {
      closed = true
      socket?.close()
    },
  }
}

/** The least time between two pictures, ms. Thirty a second are enough to read by, and cost half of sixty. */
const pictureInterval = 25

/** Calls back before the next frame of the screen, at most once per pictureInterval. */
function paced(): Environment['beforeFrame'] {
  let drawn = -Infinity
  return (draw) => {
    const frame = (now: number) => {
      if (now - drawn < pictureInterval) id = requestAnimationFrame(frame)
      else {
        drawn = now
        draw()
      }
    }
    let id = requestAnimationFrame(frame)
    return () => cancelAnimationFrame(id)
  }
}
