import { CloseButton, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useEffect, useState } from 'react'

/** How long after the last key a search begins, ms. */
const pause = 200

/**
 * The search field. What is typed becomes the value after a pause; until then it is a draft of its
 * own. The first letter makes an entry in the history, the others change that.
 */
export function Search({
  value,
  change,
  label = 'Search sessions',
  placeholder = 'Search titles, ids and tags',
}: {
  value: string
  label?: string
  placeholder?: string
  change: (value: string, options: { replace: boolean }) => void
}) {
  const [draft, setDraft] = useState<string | null>(null)
  useEffect(() => {
    if (draft === null) return
    const timer = setTimeout(() => {
      if (draft.trim() !== value) change(draft.trim(), { replace: value !== '' })
      setDraft(null)
    }, pause)
    return () => clearTimeout(timer)
  }, [draft, value, change])
  const shown = draft ?? value
  return (
    <TextInput
      type="search"
      size="sm"
      aria-label={label}
      placeholder={placeholder}
      leftSection={<IconSearch size={16} aria-hidden />}
      rightSection={
        shown === '' ? null : (
          <CloseButton size="sm" aria-label="Clear the search" onClick={() => setDraft('')} />
        )
      }
      value={shown}
      onChange={(event) => setDraft(event.currentTarget.value)}
    />
  )
}
