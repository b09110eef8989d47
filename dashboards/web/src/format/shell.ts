/** Where commands look for a server by default. */
const usualServer = 'http://127.0.0.1:4600'

/** The flag that names a server to a command: " --server URL", or "" for the usual one. */
export function serverFlag(server: string): string {
  return server === usualServer ? '' : ` --server ${shellWord(server)}`
}

/** A text as one word of a POSIX shell. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
