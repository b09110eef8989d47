import { Button, SegmentedControl } from '@mantine/core'
import { viewerZone } from '../format/zone'
import { Chips } from '../filters/chips'
import { everything, type Filter } from '../filters/filter'
import { FilterBar } from '../filters/filterbar'
import { statusKind, timeKind, recordedNames } from '../filters/sessionkinds'
import { wordsKind } from '../filters/wordskind'
import { kindNames } from './groups'
import { isNarrowed, kinds, roles, type Search } from './params'

/** What narrows a search, and the order. */
export function Filters({ search, change }: { search: Search; change: (part: Partial<Search>) => void }) {
  const { filter } = search
  const narrow = (part: Partial<Filter>) => change({ filter: { ...filter, ...part } })
  const names = recordedNames(filter, narrow)
  const chosen = [
    timeKind(filter, narrow, viewerZone),
    wordsKind({
      name: 'Kind',
      words: kinds,
      chosen: search.kind,
      label: (kind) => kindNames[kind],
      change: (kind) => change({ kind }),
    }),
    wordsKind({ name: 'Role', words: roles, chosen: search.role, change: (role) => change({ role }) }),
    ...names,
    statusKind(filter, narrow),
  ]
  return (
    <FilterBar label="Filters">
      <SegmentedControl
        size="xs"
        aria-label="Order"
        value={search.order}
        data={[
          { value: 'newest', label: 'Newest' },
          { value: 'relevance', label: 'Relevance' },
        ]}
        onChange={(order) => change({ order: order === 'relevance' ? 'relevance' : 'newest' })}
      />
      <Chips kinds={chosen} />
      {search.session.length > 0 && (
        <Button size="xs" variant="light" fw={500} onClick={() => change({ session: [] })}>
          {search.session.length === 1
            ? `Session: ${search.session[0] ?? ''}`
            : `${String(search.session.length)} sessions`}{' '}
          ×
        </Button>
      )}
      {isNarrowed(search) && (
        <Button
          size="xs"
          variant="subtle"
          color="gray"
          onClick={() => change({ filter: { ...everything, q: filter.q }, kind: [], role: [], session: [] })}
        >
          Clear all
        </Button>
      )}
    </FilterBar>
  )
}
