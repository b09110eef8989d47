import { Text } from '@mantine/core'

/** A figure in a table: a dash if it is not known, and less prominent if it is 0. */
export function Figure({ value, write }: { value: number | null; write: (value: number) => string }) {
  if (value !== null && value !== 0) return write(value)
  return (
    <Text span inherit c="dimmed">
      {value === null ? '–' : write(value)}
    </Text>
  )
}
