import { useContext, useDeferredValue, useMemo, useState } from 'react'
import { RevealContext } from '../reveal'
import { SearchBar } from './bar'
import { TreeContext } from './context'
import { isBranch, Leaf, Members } from './members'
import { membersOf, searched } from './search'
import classes from './tree.module.css'

/** Trees of fewer names and values are taken in at a glance and need no search. */
const worthSearching = 24

/**
 * A JSON value as a tree. Its first levels are open; images that are written out in it are drawn. Larger ones have a
 * field that searches them and opens what it finds.
 */
export function JsonTree({ value, label, open = 2 }: { value: unknown; label: string; open?: number }) {
  const revealed = useContext(RevealContext)
  const [typed, setTyped] = useState<string | null>(null)
  const query = useDeferredValue(typed ?? revealed)
  const [at, setAt] = useState(0)
  const large = useMemo(() => countMembers(value) >= worthSearching, [value])
  const found = useMemo(() => searched(value, query), [value, query])
  const match = found.matches[Math.min(at, found.matches.length - 1)]
  const tree = useMemo(
    () => ({ query, open: found.open, current: match?.key ?? null }),
    [query, found, match?.key],
  )
  return (
    <div className={classes.tree} role="group" aria-label={label}>
      {large && (
        <SearchBar
          label={label}
          query={typed ?? revealed}
          found={found}
          match={match}
          at={at}
          search={(text) => {
            setTyped(text)
            setAt(0)
          }}
          go={setAt}
        />
      )}
      <TreeContext value={tree}>
        {isBranch(value) && membersOf(value).length > 0 ? (
          // Another search opens other branches.
          <Members key={query} value={value} path="" steps={[]} open={open} />
        ) : (
          <Leaf value={value} path="" />
        )}
      </TreeContext>
    </div>
  )
}

/** How many names and values a tree has, counted no further than it matters. */
function countMembers(value: unknown): number {
  let count = 0
  const rest = [value]
  for (let one = rest.pop(); one !== undefined && count < worthSearching; one = rest.pop()) {
    if (!isBranch(one)) continue
    const members = Array.isArray(one) ? one.slice(0, worthSearching) : Object.values(one)
    count += members.length
    rest.push(...members.slice(0, worthSearching))
  }
  return count
}
