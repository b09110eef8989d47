import { Text } from '@mantine/core'
import type { Schemas } from '../../api/client'
import { bytes } from '../../format/numbers'
import { bytesCutOff } from './cut'

/** Shows how much of a text exceeded the limit of a message; nothing where it is whole. */
export function CutOff({ message }: { message: Schemas['Message'] }) {
  const cut = bytesCutOff(message)
  if (cut === 0) return null
  return (
    <Text size="xs" c="dimmed" mt={4}>
      The text is cut off here: it went on for {bytes(cut)}. The frames hold all of it.
    </Text>
  )
}
