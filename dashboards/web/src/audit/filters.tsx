import { Button, NativeSelect, TextInput } from '@mantine/core'
import { useState } from 'react'
import classes from '../reports/page.module.css'
import { presets } from '../filters/range'
import { kinds, outcomes } from './filter'
import { chosen, type Filter, type Outcome } from './queries'

/** What the list is restricted to, and a link to all of it as a file. */
export function Filters({ filter, change }: { filter: Filter; change: (filter: Filter) => void }) {
  const known = filter.action === '' || filter.action in kinds
  const file = new URLSearchParams({ ...chosen(filter), format: 'csv' })
  return (
    <div className={classes.tools}>
      <Field
        key={`who ${filter.principal}`}
        label="Who"
        value={filter.principal}
        change={(principal) => change({ ...filter, principal })}
      />
      <Field
        key={`object ${filter.object}`}
        label="Object"
        value={filter.object}
        change={(object) => change({ ...filter, object })}
      />
      <NativeSelect
        size="sm"
        aria-label="Action"
        value={filter.action}
        onChange={(event) => change({ ...filter, action: event.currentTarget.value })}
        data={[
          { value: '', label: 'All actions' },
          ...Object.entries(kinds).map(([value, label]) => ({ value, label })),
          ...(known ? [] : [{ value: filter.action, label: filter.action }]),
        ]}
      />
      <NativeSelect
        size="sm"
        aria-label="Outcome"
        value={filter.outcome}
        onChange={(event) => change({ ...filter, outcome: event.currentTarget.value as Outcome | '' })}
        data={[{ value: '', label: 'All outcomes' }, ...Object.keys(outcomes)]}
      />
      <NativeSelect
        size="sm"
        aria-label="Time"
        value={filter.from}
        onChange={(event) => change({ ...filter, from: event.currentTarget.value })}
        data={[
          ...presets.map(({ from, name }) => ({ value: from, label: name })),
          ...(presets.some(({ from }) => from === filter.from)
            ? []
            : [{ value: filter.from, label: `since ${filter.from}` }]),
        ]}
      />
      <Button component="a" size="xs" variant="default" href={`/v1/audit?${file.toString()}`} download>
        CSV
      </Button>
    </div>
  )
}

/** A text that applies when the field is left or Enter is pressed. */
function Field({ label, value, change }: { label: string; value: string; change: (value: string) => void }) {
  const [draft, setDraft] = useState(value)
  const apply = () => {
    if (draft.trim() !== value) change(draft.trim())
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        apply()
      }}
    >
      <TextInput
        size="sm"
        aria-label={label}
        placeholder={label === 'Who' ? 'Name or id of who' : 'Id of the object'}
        value={draft}
        onChange={(event) => setDraft(event.currentTarget.value)}
        onBlur={apply}
      />
    </form>
  )
}
