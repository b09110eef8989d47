import type { Connection, Listener } from '../session/player/environment'
import { Playback } from './playback'
import { theRecording } from './recording'

/** Plays the recording of the file. It takes the place of the connection to a server. */
export function connect(_address: string, listener: Listener): Connection {
  const { frames, session } = theRecording()
  const marks = frames.map(({ position, offset_ms }) => ({ position, offset_ms }))
  return new Playback(marks, session.duration_ms, listener)
}
