import { Checkbox, Text } from '@mantine/core'
import type { Filter } from './filter'
import { FilterButton } from './filterbutton'

/** Whether sessions pass that have usage without a price only. */
export function UnpricedFilter({
  filter,
  change,
}: {
  filter: Filter
  change: (part: Partial<Filter>) => void
}) {
  return (
    <FilterButton name="Price" value={filter.unpriced ? 'none' : ''}>
      {() => (
        <>
          <Checkbox
            size="xs"
            label="With usage without a price"
            checked={filter.unpriced}
            onChange={({ currentTarget: { checked } }) => change({ unpriced: checked })}
          />
          <Text size="xs" c="dimmed" mt={6}>
            Also sessions of which only some usage has no price.
          </Text>
        </>
      )}
    </FilterButton>
  )
}
