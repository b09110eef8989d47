import { Button, Checkbox, ScrollArea, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'

const most = 100

/** Names to choose from: the known names, the chosen names, and what is typed. */
export function Choices({
  known,
  chosen,
  change,
  placeholder,
  completes = (name) => name,
}: {
  known: readonly string[]
  chosen: readonly string[]
  change: (chosen: string[]) => void
  placeholder: string
  /** What a known name is entered as. */
  completes?: (name: string) => string
}) {
  const [text, setText] = useState('')
  const typed = text.trim()
  const all = [...new Set([...chosen, ...known.map(completes)])]
  const fitting = all.filter((name) => name.toLowerCase().includes(typed.toLowerCase()))
  const add = () => {
    if (typed !== '') change([...new Set([...chosen, typed])])
    setText('')
  }
  return (
    <Stack gap="xs">
      <TextInput
        size="xs"
        aria-label={placeholder}
        placeholder={placeholder}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') add()
        }}
        data-autofocus
      />
      <ScrollArea.Autosize mah={260} type="auto" offsetScrollbars>
        <Stack gap={8} py={2}>
          {fitting.slice(0, most).map((name) => (
            <Checkbox
              key={name}
              size="xs"
              label={name || 'unknown'}
              checked={chosen.includes(name)}
              onChange={(event) =>
                change(
                  event.currentTarget.checked ? [...chosen, name] : chosen.filter((other) => other !== name),
                )
              }
              styles={{ label: { overflowWrap: 'anywhere' } }}
            />
          ))}
        </Stack>
      </ScrollArea.Autosize>
      {fitting.length === 0 && typed === '' && (
        <Text size="xs" c="dimmed">
          No names are recorded yet. Type one.
        </Text>
      )}
      {typed !== '' && !all.includes(typed) && (
        <Button size="compact-xs" variant="light" onClick={add}>
          Use “{typed}”
        </Button>
      )}
      {chosen.length > 0 && (
        <Button size="compact-xs" variant="subtle" color="gray" onClick={() => change([])}>
          Clear
        </Button>
      )}
    </Stack>
  )
}
