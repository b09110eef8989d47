import { useId, useState, type KeyboardEvent } from 'react'
import classes from './picklist.module.css'

/** Something that can be picked. */
export interface Option {
  id: string
  name: string
  /** What kind of thing it is, beside the name. */
  note?: string
  pick: () => void
}

/** The options of which the name or the note has every word of a text. */
export function fitting(options: readonly Option[], text: string): readonly Option[] {
  const words = text.toLowerCase().split(/\s+/)
  return options.filter(({ name, note = '' }) => {
    const all = `${name} ${note}`.toLowerCase()
    return words.every((word) => all.includes(word))
  })
}

/** A field with a list below it: what is typed narrows the list, the arrow keys go through it, and Enter picks. */
export function PickList({
  label,
  placeholder,
  text,
  type,
  options,
  empty,
}: {
  label: string
  placeholder: string
  text: string
  type: (text: string) => void
  /** What fits the text. */
  options: readonly Option[]
  /** Stands where nothing fits. */
  empty: string
}) {
  const id = useId()
  const [at, setAt] = useState(0)
  const current = Math.min(at, options.length - 1)
  const to = (index: number) => {
    setAt(index)
    document.getElementById(`${id}-${index}`)?.scrollIntoView({ block: 'nearest' })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const n = options.length
    const steps: Record<string, number> = { ArrowDown: (current + 1) % n, ArrowUp: (current + n - 1) % n }
    const step = steps[event.key]
    if (n === 0 || event.nativeEvent.isComposing) return
    if (step !== undefined) to(step)
    else if (event.key === 'Enter') options[current]?.pick()
    else return
    event.preventDefault()
  }
  return (
    <>
      <input
        className={classes.field}
        role="combobox"
        aria-label={label}
        aria-expanded
        aria-controls={id}
        aria-autocomplete="list"
        aria-activedescendant={options.length === 0 ? undefined : `${id}-${current}`}
        placeholder={placeholder}
        autoComplete="off"
        spellCheck={false}
        value={text}
        data-autofocus
        onChange={(event) => {
          type(event.currentTarget.value)
          setAt(0)
        }}
        onKeyDown={onKeyDown}
      />
      <ul id={id} role="listbox" aria-label={label} className={classes.list}>
        {options.map((option, i) => (
          <li
            key={option.id}
            id={`${id}-${i}`}
            role="option"
            aria-selected={i === current}
            className={classes.option}
            onPointerMove={() => setAt(i)}
            onClick={option.pick}
          >
            <span className={classes.name}>{option.name}</span>
            {option.note !== undefined && <span className={classes.note}>{option.note}</span>}
          </li>
        ))}
      </ul>
      {options.length === 0 && <p className={classes.empty}>{empty}</p>}
    </>
  )
}
