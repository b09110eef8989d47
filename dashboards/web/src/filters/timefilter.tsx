import { FilterButton } from './filterbutton'
import { rangeName, type Range } from './range'
import { RangeForm } from './rangeform'

/** The button of a range of time. Where `optional`, it names no range while there is none. */
export function TimeFilter({
  range,
  zone,
  optional = false,
  change,
}: {
  range: Range
  zone: string
  optional?: boolean
  change: (range: Range) => void
}) {
  const whole = range.from === '' && range.to === ''
  return (
    <FilterButton name="Time" value={optional && whole ? '' : rangeName(range, zone)} width={290}>
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
