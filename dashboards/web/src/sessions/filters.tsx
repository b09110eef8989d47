import { Button } from '@mantine/core'
import { viewerZone } from '../format/zone'
import { FindingsButton } from '../filters/findingsbutton'
import { TimeFilter } from '../filters/timefilter'
import { everything, narrows, type Filter } from '../filters/filter'
import { FilterBar } from '../filters/filterbar'
import { NarrowingFilters } from '../filters/narrowing'

/** What narrows the list, each in a button of its own. */
export function Filters({ filter, change }: { filter: Filter; change: (part: Partial<Filter>) => void }) {
  return (
    <FilterBar label="Filters">
      <TimeFilter range={filter} zone={viewerZone} optional change={change} />
      <NarrowingFilters filter={filter} change={change} />
      <FindingsButton
        shown={filter.findings}
        title="Show what of the usage of each session does not add up"
        change={(findings) => change({ findings })}
      />
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
    </FilterBar>
  )
}
