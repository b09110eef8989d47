import { Button, Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { atWallClock } from '../format/zone'
import { calendarRanges, fieldOf, presets, type Range } from './range'

/** A range of time to be chosen: one of the usual, or its two ends as clocks in the zone show them. */
export function RangeForm({
  range,
  zone,
  apply,
}: {
  range: Range
  zone: string
  apply: (range: Range) => void
}) {
  const [from, setFrom] = useState(() => fieldOf(range.from, zone))
  const [to, setTo] = useState(() => fieldOf(range.to, zone))
  const backwards = from !== '' && to !== '' && to < from
  const instant = (field: string) =>
    field === '' ? '' : atWallClock(field, zone).toISOString().replace('.000', '')
  return (
    <Stack gap="sm">
      <SimpleGrid cols={2} spacing={6} verticalSpacing={6}>
        {presets.map((preset) => (
          <Button
            key={preset.name}
            size="compact-sm"
            fw={500}
            variant={range.from === preset.from && range.to === '' ? 'light' : 'default'}
            onClick={() => apply({ from: preset.from, to: '' })}
          >
            {preset.name}
          </Button>
        ))}
        {calendarRanges(zone).map(({ name, ...chosen }) => (
          <Button
            key={name}
            size="compact-sm"
            fw={500}
            variant={range.from === chosen.from && range.to === chosen.to ? 'light' : 'default'}
            onClick={() => apply(chosen)}
          >
            {name}
          </Button>
        ))}
      </SimpleGrid>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          apply({ from: instant(from), to: instant(to) })
        }}
      >
        <Stack gap="xs">
          <TextInput
            size="xs"
            type="datetime-local"
            label="From"
            value={from}
            onChange={(event) => setFrom(event.currentTarget.value)}
          />
          <TextInput
            size="xs"
            type="datetime-local"
            label="To"
            value={to}
            error={backwards ? 'comes before the beginning' : undefined}
            onChange={(event) => setTo(event.currentTarget.value)}
          />
          <Group justify="space-between" wrap="nowrap">
            <Text size="xs" c="dimmed" truncate>
              {zone}
            </Text>
            <Button size="compact-sm" type="submit" disabled={backwards}>
              Apply
            </Button>
          </Group>
        </Stack>
      </form>
    </Stack>
  )
}
