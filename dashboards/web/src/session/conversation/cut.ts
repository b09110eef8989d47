/** How many bytes of a message's text, beyond what is kept of it as one, are in the frames alone. */
export function bytesCutOff({ attributes }: { attributes: Record<string, unknown> | null }): number {
  const cut = attributes?.['truncated_bytes']
  return typeof cut === 'number' && cut > 0 ? cut : 0
}
