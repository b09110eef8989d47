import { Checkbox, Stack } from '@mantine/core'
import { FilterButton } from './filterbutton'

/** A filter that lets some of a few words through. */
export function WordsFilter<W extends string>({
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
}) {
  return (
    <FilterButton name={name} value={chosen.map(label).join(', ')} width={190}>
      {() => (
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
      )}
    </FilterButton>
  )
}
