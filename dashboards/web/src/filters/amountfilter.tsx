import type { ComponentProps } from 'react'
import { AmountRange } from './amountrange'
import { FilterButton } from './filterbutton'

/** A filter by an amount. `value` describes what passes, in a few words. */
export function AmountFilter({
  name,
  value,
  apply,
  ...range
}: { name: string; value: string } & ComponentProps<typeof AmountRange>) {
  return (
    <FilterButton name={name} value={value}>
      {(close) => (
        <AmountRange
          {...range}
          apply={(least, most) => {
            close()
            apply(least, most)
          }}
        />
      )}
    </FilterButton>
  )
}
