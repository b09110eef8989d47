import { Checkbox, Stack } from '@mantine/core'
import type { Kind } from './kind'

/** A filter that lets some of a few words through. */
export function wordsKind<W extends string>({
  name,
  words,
  chosen,
  label = (word) => word,
  change,
}: {
  name: string
  words: readonly W[]
  chosen: readonly W[]
  label?: (word: W) => string
  change: (chosen: W[]) => void
}): Kind {
  return {
    name,
    value: chosen.map(label).join(', '),
    width: 190,
    clear: () => change([]),
    panel: () => (
      <Checkbox.Group
        aria-label={name}
        value={[...chosen]}
        onChange={(values) => change(words.filter((word) => values.includes(word)))}
      >
        <Stack gap={10}>
          {words.map((word) => (
            <Checkbox key={word} size="xs" value={word} label={label(word)} />
          ))}
        </Stack>
      </Checkbox.Group>
    ),
  }
}
