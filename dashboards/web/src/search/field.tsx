import { Kbd, TextInput } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { useRef, useState, type KeyboardEvent } from 'react'

/** The field for what to search for in all texts. The key / leads to it. */
export function SearchField({
  value,
  search,
  autoFocus = false,
  onKeyDown,
}: {
  value: string
  search: (text: string) => void
  autoFocus?: boolean
  onKeyDown?: (event: KeyboardEvent<HTMLInputElement>) => void
}) {
  const field = useRef<HTMLInputElement>(null)
  const [draft, setDraft] = useState(value)
  const [shown, setShown] = useState(value)
  if (shown !== value) {
    setShown(value)
    setDraft(value)
  }
  const focus = () => {
    field.current?.focus()
    field.current?.select()
  }
  useHotkeys([['/', focus]])
  return (
    <form
      role="search"
      onSubmit={(event) => {
        event.preventDefault()
        if (draft.trim() !== '') search(draft.trim())
      }}
    >
      <TextInput
        ref={field}
        size="sm"
        aria-label="Search in all that was said"
        placeholder="Search all texts"
        aria-keyshortcuts="/"
        autoComplete="off"
        spellCheck={false}
        maxLength={2000}
        autoFocus={autoFocus}
        leftSection={<IconSearch size={16} aria-hidden />}
        rightSection={
          draft === '' ? (
            <Kbd size="xs" visibleFrom="sm" aria-hidden>
              /
            </Kbd>
          ) : null
        }
        value={draft}
        onChange={(event) => setDraft(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
    </form>
  )
}
