import { compact } from '../format/numbers'
import { AmountFilter } from './amountfilter'
import { costAmount, goDuration, rangeText, tokenCount } from './amounts'
import { statuses, type Filter } from './filter'
import { LedNames, RecordedNames } from './namesfilter'
import { UnpricedFilter } from './unpricedfilter'
import { WordsFilter } from './wordsfilter'

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
  return (
    <>
      <WordsFilter
        name="Status"
        words={statuses}
        chosen={filter.status}
        change={(status) => change({ status })}
      />
      <RecordedNames filter={filter} change={change} />
      <LedNames filter={filter} change={change} />
      <AmountFilter
        name="Duration"
        value={rangeText(filter.min_duration, filter.max_duration)}
        least={filter.min_duration}
        most={filter.max_duration}
        example="1m30s"
        wrong="such as 90s or 2h"
        read={goDuration}
        apply={(least, most) => change({ min_duration: least, max_duration: most })}
      />
      {open.map(({ name, field }) => (
        <AmountFilter
          key={field}
          name={name}
          value={rangeText(filter[field], '')}
          least={filter[field]}
          example="10m"
          wrong="such as 90s or 2h"
          read={goDuration}
          apply={(least) => change({ [field]: least })}
        />
      ))}
      <AmountFilter
        name="Tokens"
        value={rangeText(...tokenEnds(filter))}
        least={filter.min_tokens}
        most={filter.max_tokens}
        example="10k"
        wrong="such as 5000 or 10k"
        read={tokenCount}
        apply={(least, most) => change({ min_tokens: least, max_tokens: most })}
      />
      <AmountFilter
        name="Cost"
        value={rangeText(filter.min_cost, filter.max_cost)}
        least={filter.min_cost}
        most={filter.max_cost}
        example="0.05"
        wrong="such as 0.05 or 12"
        read={costAmount}
        apply={(least, most) => change({ min_cost: least, max_cost: most })}
      >
        In the currency of the price table. Sessions whose cost is not known are left out.
      </AmountFilter>
      <UnpricedFilter filter={filter} change={change} />
    </>
  )
}

function tokenEnds({ min_tokens, max_tokens }: Filter): [string, string] {
  const short = (text: string) => (text === '' ? '' : compact(Number(text)))
  return [short(min_tokens), short(max_tokens)]
}
