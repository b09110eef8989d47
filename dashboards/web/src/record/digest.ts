/**
 * The SHA-256 of a file in hexadecimal, read in pieces, so that a large file does not have to fit into
 * memory; crypto.subtle takes whole buffers only.
 */
export async function digestOf(file: Blob): Promise<string> {
  const { sha256 } = await import('@noble/hashes/sha2.js')
  const hash = sha256.create()
  const reader = file.stream().getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    hash.update(value)
  }
  return Array.from(hash.digest(), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
