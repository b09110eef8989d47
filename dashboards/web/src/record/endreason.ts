/** Why a stream ended in an error, in the words that the list of sessions has for it. */
export function endText(reason: string): string {
  const text = reason.replace(/^error: /, '')
  const status = /^exit status (\d+)$/.exec(text)?.[1]
  if (status !== undefined) return `the recorded command exited with ${status}`
  const signal = /^signal: ([^(]+?)(?: \(core dumped\))?$/.exec(text)?.[1]
  if (signal !== undefined) return `the recorded command was ended by a signal: ${signal}`
  return text.startsWith('closed with ') ? `the connection was ${text}` : text
}
