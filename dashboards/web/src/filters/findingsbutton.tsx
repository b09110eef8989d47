import { Button } from '@mantine/core'

/** Shows or hides a column of what does not add up. */
export function FindingsButton({
  shown,
  title,
  change,
}: {
  shown: boolean
  title: string
  change: (shown: boolean) => void
}) {
  return (
    <Button
      size="xs"
      variant={shown ? 'light' : 'default'}
      fw={500}
      aria-pressed={shown}
      title={title}
      onClick={() => change(!shown)}
    >
      Findings
    </Button>
  )
}
