import { useQuery } from '@tanstack/react-query'
import { Choices } from './choices'
import type { FacetList, Filter, List } from './filter'
import { FilterButton } from './filterbutton'
import { facetsQuery } from './queries'

interface Listed<L extends List> {
  list: L
  name: string
  placeholder: string
}

const recorded: readonly Listed<FacetList>[] = [
  { list: 'agent', name: 'Agent', placeholder: 'Name of an agent' },
  { list: 'tool', name: 'Tool', placeholder: 'Name of a tool' },
  { list: 'model', name: 'Model', placeholder: 'Name of a model' },
  { list: 'dialect', name: 'Dialect', placeholder: 'Name of a dialect' },
  { list: 'tag', name: 'Tag', placeholder: 'name or name:value' },
]

/** Filters that reports lead to, which have a button where they are set. */
const led: readonly Listed<List>[] = [
  { list: 'provider', name: 'Provider', placeholder: 'Name of a provider' },
  { list: 'run', name: 'Run', placeholder: 'Id of a run' },
  { list: 'node', name: 'Node', placeholder: 'Name of a node' },
  { list: 'service_tier', name: 'Service tier', placeholder: 'Name of a tier' },
  { list: 'call_status', name: 'Call status', placeholder: 'ok, error, cancelled …' },
  { list: 'unknown', name: 'Unknown', placeholder: 'call_model, tool_agent …' },
]

/** A name as people read it: usage may lack one. */
const named = (name: string) => name || 'unknown'

interface Props {
  filter: Filter
  change: (part: Partial<Filter>) => void
}

/** A filter for each kind of name that is recorded, with the names there are. */
export function RecordedNames(props: Props) {
  const facets = useQuery(facetsQuery)
  return recorded.map((of) => (
    <NamesFilter key={of.list} of={of} known={facets.data?.[`${of.list}s`] ?? []} {...props} />
  ))
}

/** Those of the filters that reports lead to which are set. */
export function LedNames(props: Props) {
  return led
    .filter(({ list }) => props.filter[list].length > 0)
    .map((of) => <NamesFilter key={of.list} of={of} known={[]} {...props} />)
}

function NamesFilter({
  of: { list, name, placeholder },
  known,
  filter,
  change,
}: Props & { of: Listed<List>; known: readonly string[] }) {
  return (
    <FilterButton name={name} value={filter[list].map(named).join(', ')}>
      {() => (
        <Choices
          known={known}
          chosen={filter[list]}
          change={(chosen) => change({ [list]: chosen })}
          placeholder={placeholder}
        />
      )}
    </FilterButton>
  )
}
