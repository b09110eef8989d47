import { FilterButton } from './filterbutton'
import { rangeName, type Range } from './range'
import { RangeForm } from './rangeform'

/** The button of a range of time. */
export function TimeFilter({
  range,
  zone,
  change,
}: {
  range: Range
  zone: string
  change: (range: Range) => void
}) {
  return (
    <FilterButton name="Time" value={rangeName(range, zone)} width={290}>
      {(close) => (
        <RangeForm
          range={range}
          zone={zone}
          apply={(chosen) => {
            close()
            change(chosen)
          }}
        />
      )}
    </FilterButton>
  )
}
