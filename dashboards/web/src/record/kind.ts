/** What a file that is to be recorded holds, as it is sent. */
export type Kind = 'application/x-ndjson' | 'text/event-stream' | 'application/vnd.tapedeck.tape'

export const tape: Kind = 'application/vnd.tapedeck.tape'

/** How a tape file begins, after a byte that is no UTF-8: docs/format/tape.md. */
const tapeMagic = 'tape\r\n'

/** How many bytes of a file's beginning are read. */
export const beginning = 4096

/** Detects what a file holds from its name and its first bytes. */
export function kindOf(name: string, start: string): Kind {
  if (name.endsWith('.tape') || start.startsWith(tapeMagic, 1)) return tape
  const first =
    start
      .replace(/^\uFEFF/, '')
      .split(/\r\n|\r|\n/)
      .find((line) => line.trim() !== '') ?? ''
  return /^(data|event|id|retry)(:|$)|^:/.test(first) ? 'text/event-stream' : 'application/x-ndjson'
}
