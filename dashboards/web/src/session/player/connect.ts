import { isShared, socketAddress } from '../../api/client'
import type { Connection, Listener } from './environment'

/** Connects to the server that this page came from. */
export function connect(address: string, listener: Listener): Connection {
  return isShared() ? later(address, listener) : open(address, listener)
}

function open(address: string, listener: Listener): WebSocket {
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
      if (!closed) socket = open(complete, listener)
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
