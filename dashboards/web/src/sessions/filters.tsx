import { Button } from '@mantine/core'
import { viewerZone } from '../format/zone'
import { Chips } from '../filters/chips'
import { narrows, unnarrowed, type Filter } from '../filters/filter'
import { FilterBar } from '../filters/filterbar'
import { timeKind, sessionKinds } from '../filters/sessionkinds'
import { ColumnChooser } from './columnchooser'
import type { ColumnId } from './columns'

/** What narrows the list, and the columns that it has. */
export function Filters({
  filter,
  change,
  columns,
  setColumns,
  narrow,
}: {
  filter: Filter
  change: (part: Partial<Filter>) => void
  columns: readonly ColumnId[]
  setColumns: (ids: readonly ColumnId[]) => void
  /** There are no columns, as each row is a card. */
  narrow: boolean
}) {
  const kinds = sessionKinds(filter, change)
  return (
    <FilterBar label="Filters">
      <Chips kinds={[timeKind(filter, change, viewerZone), ...kinds]} />
      {narrows(filter) && (
        <Button size="xs" variant="subtle" color="gray" onClick={() => change(unnarrowed(filter))}>
          Clear all
        </Button>
      )}
      {!narrow && (
        <ColumnChooser
          shown={columns}
          setShown={setColumns}
          findings={filter.findings}
          setFindings={(findings) => change({ findings })}
        />
      )}
    </FilterBar>
  )
}
