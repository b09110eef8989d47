import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useState, type ReactNode } from 'react'

/**
 * The ends of a range, to be typed; without `most` it has one. `read` returns a text in its stored form, null
 * if it is wrong.
 */
export function AmountRange({
  least,
  most,
  example,
  wrong,
  read,
  apply,
  children,
}: {
  least: string
  most?: string
  example: string
  wrong: string
  read: (text: string) => string | null
  apply: (least: string, most: string) => void
  /** Shown below the inputs, such as which sessions have no known amount. */
  children?: ReactNode
}) {
  const [low, setLow] = useState(least)
  const [high, setHigh] = useState(most ?? '')
  const stored = [low, high].map((text) => (text.trim() === '' ? '' : read(text)))
  const [from = null, to = null] = stored
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (from !== null && to !== null) apply(from, to)
      }}
    >
      <Stack gap="xs">
        <Group gap="xs" grow align="flex-start">
          <TextInput
            size="xs"
            label="At least"
            placeholder={example}
            value={low}
            error={from === null ? wrong : undefined}
            onChange={(event) => setLow(event.currentTarget.value)}
            data-autofocus
          />
          {most !== undefined && (
            <TextInput
              size="xs"
              label="At most"
              placeholder={example}
              value={high}
              error={to === null ? wrong : undefined}
              onChange={(event) => setHigh(event.currentTarget.value)}
            />
          )}
        </Group>
        {children !== undefined && (
          <Text size="xs" c="dimmed">
            {children}
          </Text>
        )}
        <Group gap="xs" justify="flex-end">
          <Button size="compact-xs" variant="subtle" color="gray" onClick={() => apply('', '')}>
            Clear
          </Button>
          <Button size="compact-xs" type="submit" disabled={from === null || to === null}>
            Apply
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
