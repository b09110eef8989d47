import type { Schemas } from '../api/client'

/** A session as a file holds it: the answers of the server from which the page is made. */
export interface Recording {
  session: Schemas['SessionDetail']
  timeline: Schemas['Timeline']
  transcript: Schemas['Message'][]
  density: Schemas['Density']
  frames: Schemas['WholeFrame'][]
}

let recording: Recording | null = null

/** Sets the recording of this page. */
export function setRecording(read: Recording): void {
  recording = read
}

export function theRecording(): Recording {
  if (recording === null) throw new Error('The recording is not read yet.')
  return recording
}

declare global {
  /** What the file's own script defines: the text of one of its templates. */
  var tapedeckText: (id: string) => Promise<string>
}
