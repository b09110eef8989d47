import { TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import type { KeyboardEvent } from 'react'
import { count } from '../../format/numbers'
import { Copy } from '../copy'
import { pathText } from './path'
import type { Found, Match } from './search'
import classes from './tree.module.css'

/** The field that searches a tree: how much it finds, and the path of the match that was gone to. */
export function SearchBar(props: {
  label: string
  query: string
  found: Found
  match: Match | undefined
  at: number
  search: (query: string) => void
  go: (at: number) => void
}) {
  const { label, query, found, match, at, search, go } = props
  const all = found.matches.length
  const keys = (event: KeyboardEvent) => {
    const back = event.key === 'ArrowUp' || (event.key === 'Enter' && event.shiftKey)
    if (event.key === 'Escape' && query !== '') search('')
    else if (['Enter', 'ArrowDown', 'ArrowUp'].includes(event.key)) {
      if (all > 0) go((at + (back ? all - 1 : 1)) % all)
    } else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div className={classes.bar}>
      <TextInput
        size="xs"
        className={classes.field ?? ''}
        aria-label={`Search in ${label.toLowerCase()}`}
        placeholder="Search"
        leftSection={<IconSearch size={12} aria-hidden />}
        value={query}
        maxLength={200}
        onChange={(event) => search(event.currentTarget.value)}
        onKeyDown={keys}
      />
      {query.trim() !== '' && (
        <span className={classes.count} role="status">
          {all === 0
            ? 'nothing found'
            : `${count(Math.min(at + 1, all))} of ${count(all)}${found.more ? ' or more' : ''}`}
        </span>
      )}
      {match !== undefined && (
        <span className={classes.path}>
          <code title={pathText(match.path)}>{pathText(match.path)}</code>
          <Copy text={pathText(match.path)} what="Copy the path" />
        </span>
      )}
    </div>
  )
}
