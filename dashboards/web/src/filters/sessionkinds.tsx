import { Checkbox, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ComponentProps, ReactNode } from 'react'
import { compact } from '../format/numbers'
import { AmountRange } from './amountrange'
import { costAmount, goDuration, rangeText, tokenCount } from './amounts'
import { Choices } from './choices'
import { statuses, type FacetList, type Filter, type List } from './filter'
import type { Kind } from './kind'
import { facetsQuery } from './queries'
import { rangeName } from './range'
import { RangeForm } from './rangeform'
import { wordsKind } from './wordskind'

type Change = (part: Partial<Filter>) => void

interface Names<L extends List> {
  list: L
  name: string
  placeholder: string
}

const recorded: readonly Names<FacetList>[] = [
  { list: 'agent', name: 'Agent', placeholder: 'Name of an agent' },
  { list: 'tool', name: 'Tool', placeholder: 'Name of a tool' },
  { list: 'model', name: 'Model', placeholder: 'Name of a model' },
  { list: 'dialect', name: 'Dialect', placeholder: 'Name of a dialect' },
  { list: 'tag', name: 'Tag', placeholder: 'name, name:value, or name: for none' },
]

/** Names of which the API lists none. */
const typed: readonly Names<List>[] = [
  { list: 'provider', name: 'Provider', placeholder: 'Name of a provider' },
  { list: 'run', name: 'Run', placeholder: 'Id of a run' },
  { list: 'node', name: 'Node', placeholder: 'Name of a node' },
  { list: 'service_tier', name: 'Service tier', placeholder: 'Name of a tier' },
  { list: 'call_status', name: 'Call status', placeholder: 'ok, error, cancelled …' },
  { list: 'label', name: 'Label', placeholder: 'Label of a note' },
  { list: 'thumb', name: 'Thumb', placeholder: 'up or down' },
  { list: 'unknown', name: 'Unknown', placeholder: 'call_model, tool_agent …' },
]

/** A name as people read it: usage may lack one. */
const named = (name: string) => name || 'unknown'

function namesKind<L extends List>(
  { list, name, placeholder }: Names<L>,
  filter: Filter,
  change: Change,
  Panel: (of: { list: L } & TypedChoices) => ReactNode,
): Kind {
  return {
    name,
    value: filter[list].map(named).join(', '),
    clear: () => change({ [list]: [] }),
    panel: () => (
      <Panel
        list={list}
        chosen={filter[list]}
        change={(chosen) => change({ [list]: chosen })}
        placeholder={placeholder}
      />
    ),
  }
}

type TypedChoices = Omit<ComponentProps<typeof Choices>, 'known'>

/** Choices of recorded names, which are asked for once somebody chooses. */
function RecordedChoices({ list, ...choices }: { list: FacetList } & TypedChoices) {
  const facets = useQuery(facetsQuery).data
  return <Choices known={facets?.[`${list}s`] ?? []} {...choices} />
}

/** Choices that people type, since the API does not list them. */
function TypedNames({ chosen, change, placeholder }: TypedChoices) {
  return <Choices known={[]} chosen={chosen} change={change} placeholder={placeholder} />
}

/** A filter for each kind of name of which the API lists those that are recorded. */
export function recordedNames(filter: Filter, change: Change): Kind[] {
  return recorded.map((of) => namesKind(of, filter, change, RecordedChoices))
}

/** The filter by status. */
export function statusKind(filter: Filter, change: Change): Kind {
  return wordsKind({
    name: 'Status',
    words: statuses,
    chosen: filter.status,
    change: (status) => change({ status }),
  })
}

/** The filter by the start of sessions. */
export function timeKind(filter: Filter, change: Change, zone: string): Kind {
  return {
    name: 'Time',
    value: filter.from === '' && filter.to === '' ? '' : rangeName(filter, zone),
    width: 290,
    clear: () => change({ from: '', to: '' }),
    panel: (close) => (
      <RangeForm
        range={filter}
        zone={zone}
        apply={(chosen) => {
          close()
          change(chosen)
        }}
      />
    ),
  }
}

/** All filters of sessions besides their time. */
export function sessionKinds(filter: Filter, change: Change): Kind[] {
  return [
    statusKind(filter, change),
    ...recordedNames(filter, change),
    amountKind({
      name: 'Duration',
      value: rangeText(filter.min_duration, filter.max_duration),
      least: filter.min_duration,
      most: filter.max_duration,
      ...lengths,
      apply: (least, most) => change({ min_duration: least, max_duration: most }),
    }),
    // Limits that only sessions can meet which have not ended.
    openKind('Running for', 'running_for', filter, change),
    openKind('Silent for', 'silent_for', filter, change),
    amountKind({
      name: 'Tokens',
      value: rangeText(shortCount(filter.min_tokens), shortCount(filter.max_tokens)),
      least: filter.min_tokens,
      most: filter.max_tokens,
      example: '10k',
      wrong: 'such as 5000 or 10k',
      read: tokenCount,
      apply: (least, most) => change({ min_tokens: least, max_tokens: most }),
    }),
    amountKind({
      name: 'Cost',
      value: rangeText(filter.min_cost, filter.max_cost),
      least: filter.min_cost,
      most: filter.max_cost,
      example: '0.05',
      wrong: 'such as 0.05 or 12',
      read: costAmount,
      note: 'In the currency of the price table. Sessions whose cost is not known are left out.',
      apply: (least, most) => change({ min_cost: least, max_cost: most }),
    }),
    unpricedKind(filter, change),
    ...typed.map((of) => namesKind(of, filter, change, TypedNames)),
  ]
}

const lengths = { example: '1m30s', wrong: 'such as 90s or 2h', read: goDuration }

const shortCount = (text: string) => (text === '' ? '' : compact(Number(text)))

function openKind(name: string, field: 'running_for' | 'silent_for', filter: Filter, change: Change): Kind {
  return amountKind({
    name,
    value: rangeText(filter[field], ''),
    least: filter[field],
    ...lengths,
    example: '10m',
    apply: (least) => change({ [field]: least }),
  })
}

/** A filter by an amount; without `most` it has one end. */
function amountKind({
  name,
  value,
  note,
  apply,
  ...range
}: {
  name: string
  value: string
  least: string
  most?: string
  example: string
  wrong: string
  read: (text: string) => string | null
  note?: string
  apply: (least: string, most: string) => void
}): Kind {
  return {
    name,
    value,
    clear: () => apply('', ''),
    panel: (close) => (
      <AmountRange
        {...range}
        apply={(least, most) => {
          close()
          apply(least, most)
        }}
      >
        {note}
      </AmountRange>
    ),
  }
}

/** Whether only sessions pass that have usage without a price. */
function unpricedKind(filter: Filter, change: Change): Kind {
  return {
    name: 'Price',
    value: filter.unpriced ? 'none' : '',
    clear: () => change({ unpriced: false }),
    panel: () => (
      <>
        <Checkbox
          size="xs"
          label="With usage without a price"
          checked={filter.unpriced}
          onChange={({ currentTarget: { checked } }) => change({ unpriced: checked })}
        />
        <Text size="xs" c="dimmed" mt={6}>
          Also sessions of which only some usage has no price.
        </Text>
      </>
    ),
  }
}
