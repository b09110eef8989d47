import { Button } from '@mantine/core'
import { viewerZone } from '../format/zone'
import { rangeName } from '../reports/range'
import { RangeForm } from '../reports/rangeform'
import { everything, narrows, type Filter } from './filter'
import { FilterButton } from './filterbutton'
import classes from './filters.module.css'
import { NarrowingFilters } from './narrowing'

/** What narrows the list, each in a button of its own. */
export function Filters({ filter, change }: { filter: Filter; change: (part: Partial<Filter>) => void }) {
  return (
    <div
      className={classes.filters}
      role="group"
      aria-label="Filters"
      // Where they are in one line that scrolls, what has the focus is all in sight.
      onFocus={(event) => event.target.scrollIntoView({ block: 'nearest', inline: 'nearest' })}
    >
      <FilterButton
        name="Time"
        value={filter.from === '' && filter.to === '' ? '' : rangeName(filter, viewerZone)}
        width={290}
      >
        {(close) => (
          <RangeForm
            range={filter}
            zone={viewerZone}
            apply={(range) => {
              close()
              change({ from: range.from, to: range.to })
            }}
          />
        )}
      </FilterButton>
      <NarrowingFilters filter={filter} change={change} />
      <Button
        size="xs"
        variant={filter.findings ? 'light' : 'default'}
        fw={500}
        aria-pressed={filter.findings}
        title="Show what of the usage of each session does not add up"
        onClick={() => change({ findings: !filter.findings })}
      >
        Findings
      </Button>
      {narrows(filter) && (
        <Button
          size="xs"
          variant="subtle"
          color="gray"
          onClick={() => change({ ...everything, findings: filter.findings, sort: filter.sort })}
        >
          Clear all
        </Button>
      )}
    </div>
  )
}
