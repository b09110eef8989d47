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

/** Decompresses an element of the file, whose text is gzip in base64. */
export async function readElement(id: string): Promise<string> {
  const element = document.getElementById(id)
  const text = element instanceof HTMLTemplateElement ? element.content.textContent : ''
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0))
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text()
}
