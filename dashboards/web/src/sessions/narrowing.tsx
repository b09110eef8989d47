import { Checkbox, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { compact } from '../format/numbers'
import { AmountRange } from './amountrange'
import { costAmount, goDuration, rangeText, tokenCount } from './amounts'
import { Choices } from './choices'
import { statuses, type FacetList, type Filter, type List } from './filter'
import { FilterButton } from './filterbutton'
import { facetsQuery } from './queries'

const named: readonly { list: FacetList; name: string; placeholder: string }[] = [
  { list: 'agent', name: 'Agent', placeholder: 'Name of an agent' },
  { list: 'tool', name: 'Tool', placeholder: 'Name of a tool' },
  { list: 'model', name: 'Model', placeholder: 'Name of a model' },
  { list: 'dialect', name: 'Dialect', placeholder: 'Name of a dialect' },
  { list: 'tag', name: 'Tag', placeholder: 'name or name:value' },
]

/** Filters that reports lead to, which have a button where they are set. */
const led: readonly { list: List; name: string; placeholder: string }[] = [
  { list: 'provider', name: 'Provider', placeholder: 'Name of a provider' },
  { list: 'run', name: 'Run', placeholder: 'Id of a run' },
  { list: 'node', name: 'Node', placeholder: 'Name of a node' },
  { list: 'service_tier', name: 'Service tier', placeholder: 'Name of a tier' },
  { list: 'call_status', name: 'Call status', placeholder: 'ok, error, cancelled …' },
]

/** Limits that only sessions can meet which have not ended. */
const open = [
  { name: 'Running for', field: 'running_for' },
  { name: 'Silent for', field: 'silent_for' },
] as const

/** What narrows sessions besides their time, each in a button of its own. */
export function NarrowingFilters({
  filter,
  change,
}: {
  filter: Filter
  change: (part: Partial<Filter>) => void
}) {
  const facets = useQuery(facetsQuery)
  return (
    <>
      <FilterButton name="Status" value={filter.status.join(', ')} width={180}>
        {() => (
          <Checkbox.Group
            aria-label="Status"
            value={[...filter.status]}
            onChange={(chosen) => change({ status: statuses.filter((status) => chosen.includes(status)) })}
          >
            <Stack gap={10}>
              {statuses.map((status) => (
                <Checkbox key={status} size="xs" value={status} label={status} />
              ))}
            </Stack>
          </Checkbox.Group>
        )}
      </FilterButton>
      {named.map(({ list, name, placeholder }) => (
        <FilterButton key={list} name={name} value={filter[list].join(', ')}>
          {() => (
            <Choices
              known={facets.data?.[`${list}s`] ?? []}
              chosen={filter[list]}
              change={(chosen) => change({ [list]: chosen })}
              placeholder={placeholder}
            />
          )}
        </FilterButton>
      ))}
      {led
        .filter(({ list }) => filter[list].length > 0)
        .map(({ list, name, placeholder }) => (
          <FilterButton key={list} name={name} value={filter[list].join(', ')}>
            {() => (
              <Choices
                known={[]}
                chosen={filter[list]}
                change={(chosen) => change({ [list]: chosen })}
                placeholder={placeholder}
              />
            )}
          </FilterButton>
        ))}
      <FilterButton name="Duration" value={rangeText(filter.min_duration, filter.max_duration)}>
        {(close) => (
          <AmountRange
            least={filter.min_duration}
            most={filter.max_duration}
            example="1m30s"
            wrong="such as 90s or 2h"
            read={goDuration}
            apply={(least, most) => {
              close()
              change({ min_duration: least, max_duration: most })
            }}
          />
        )}
      </FilterButton>
      {open.map(({ name, field }) => (
        <FilterButton key={field} name={name} value={rangeText(filter[field], '')}>
          {(close) => (
            <AmountRange
              least={filter[field]}
              example="10m"
              wrong="such as 90s or 2h"
              read={goDuration}
              apply={(least) => {
                close()
                change({ [field]: least })
              }}
            />
          )}
        </FilterButton>
      ))}
      <FilterButton name="Tokens" value={rangeText(...tokenEnds(filter))}>
        {(close) => (
          <AmountRange
            least={filter.min_tokens}
            most={filter.max_tokens}
            example="10k"
            wrong="such as 5000 or 10k"
            read={tokenCount}
            apply={(least, most) => {
              close()
              change({ min_tokens: least, max_tokens: most })
            }}
          />
        )}
      </FilterButton>
      <FilterButton name="Cost" value={rangeText(filter.min_cost, filter.max_cost)}>
        {(close) => (
          <AmountRange
            least={filter.min_cost}
            most={filter.max_cost}
            example="0.05"
            wrong="such as 0.05 or 12"
            read={costAmount}
            apply={(least, most) => {
              close()
              change({ min_cost: least, max_cost: most })
            }}
          >
            In the currency of the price table. Sessions whose cost is not known are left out.
          </AmountRange>
        )}
      </FilterButton>
    </>
  )
}

function tokenEnds({ min_tokens, max_tokens }: Filter): [string, string] {
  const short = (text: string) => (text === '' ? '' : compact(Number(text)))
  return [short(min_tokens), short(max_tokens)]
}
