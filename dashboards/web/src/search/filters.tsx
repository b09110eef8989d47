import { Button, Checkbox, SegmentedControl, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { viewerZone } from '../format/zone'
import { rangeName } from '../reports/range'
import { RangeForm } from '../reports/rangeform'
import { Choices } from '../sessions/choices'
import { everything, statuses, type FacetList, type Filter } from '../sessions/filter'
import { FilterButton } from '../sessions/filterbutton'
import classes from '../sessions/filters.module.css'
import { facetsQuery } from '../sessions/queries'
import { kindNames } from './groups'
import { isNarrowed, kinds, roles, type Search } from './params'

const named: readonly { list: FacetList; name: string; placeholder: string }[] = [
  { list: 'tool', name: 'Tool', placeholder: 'Name of a tool' },
  { list: 'agent', name: 'Agent', placeholder: 'Name of an agent' },
  { list: 'model', name: 'Model', placeholder: 'Name of a model' },
  { list: 'tag', name: 'Tag', placeholder: 'name or name:value' },
  { list: 'dialect', name: 'Dialect', placeholder: 'Name of a dialect' },
]

/** What narrows a search, each in a button of its own, and the order. */
export function Filters({ search, change }: { search: Search; change: (part: Partial<Search>) => void }) {
  const facets = useQuery(facetsQuery)
  const { filter } = search
  const narrow = (part: Partial<Filter>) => change({ filter: { ...filter, ...part } })
  return (
    <div className={classes.filters} role="group" aria-label="Filters">
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
              narrow({ from: range.from, to: range.to })
            }}
          />
        )}
      </FilterButton>
      <Several
        name="Kind"
        all={kinds}
        chosen={search.kind}
        label={(kind) => kindNames[kind]}
        change={(kind) => change({ kind })}
      />
      <Several
        name="Role"
        all={roles}
        chosen={search.role}
        label={(role) => role}
        change={(role) => change({ role })}
      />
      {named.map(({ list, name, placeholder }) => (
        <FilterButton key={list} name={name} value={filter[list].join(', ')}>
          {() => (
            <Choices
              known={facets.data?.[`${list}s`] ?? []}
              chosen={filter[list]}
              change={(chosen) => narrow({ [list]: chosen })}
              placeholder={placeholder}
            />
          )}
        </FilterButton>
      ))}
      <Several
        name="Status"
        all={statuses}
        chosen={filter.status}
        label={(status) => status}
        change={(status) => narrow({ status })}
      />
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
    </div>
  )
}

/** A filter that lets some of a few words through. */
function Several<W extends string>({
  name,
  all,
  chosen,
  label,
  change,
}: {
  name: string
  all: readonly W[]
  chosen: readonly W[]
  label: (word: W) => string
  change: (chosen: W[]) => void
}) {
  return (
    <FilterButton name={name} value={chosen.map(label).join(', ')} width={190}>
      {() => (
        <Checkbox.Group
          aria-label={name}
          value={[...chosen]}
          onChange={(values) => change(all.filter((word) => values.includes(word)))}
        >
          <Stack gap={10}>
            {all.map((word) => (
              <Checkbox key={word} size="xs" value={word} label={label(word)} />
            ))}
          </Stack>
        </Checkbox.Group>
      )}
    </FilterButton>
  )
}
