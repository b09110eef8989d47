import { Button } from '@mantine/core'
import { IconGitCompare } from '@tabler/icons-react'
import { useCallback, useMemo, useState } from 'react'
import { Link } from 'wouter'
import { compareAddress } from '../compare/queries'
import { counted } from '../format/numbers'
import classes from './choosing.module.css'
import type { Session } from './rows'

/** The sessions that are chosen to be compared, by id, in the order in which they were chosen. */
export interface Choosing {
  chosen: readonly string[]
  /** Chooses a session, or no longer. */
  toggle: (id: string) => void
  clear: () => void
}

/** Keeps which sessions are chosen, whether their rows are drawn or not. */
export function useChoosing(): Choosing {
  const [chosen, choose] = useState<readonly string[]>([])
  const toggle = useCallback(
    (id: string) =>
      choose((before) => (before.includes(id) ? before.filter((one) => one !== id) : [...before, id])),
    [],
  )
  const clear = useCallback(() => choose([]), [])
  return useMemo(() => ({ chosen, toggle, clear }), [chosen, toggle, clear])
}

/** What can be done with the chosen sessions: two are compared, the older one as A. `rows` has their starts. */
export function Chosen({
  chosen,
  clear,
  rows,
}: Pick<Choosing, 'chosen' | 'clear'> & { rows: readonly Pick<Session, 'id' | 'started'>[] }) {
  const startOf = (id: string) => Date.parse(rows.find((row) => row.id === id)?.started ?? '') || 0
  const [a, b] = [...chosen].sort((one, other) => startOf(one) - startOf(other))
  return (
    <div className={classes.chosen} data-any={chosen.length > 0 || undefined}>
      <span role="status" aria-label="Chosen sessions">
        {chosen.length > 0 && `${counted(chosen.length, 'session')} chosen`}
        {chosen.length > 0 && chosen.length !== 2 && '; two can be compared'}
      </span>
      {a !== undefined && b !== undefined && chosen.length === 2 && (
        <Button
          component={Link}
          href={compareAddress(a, b)}
          size="compact-sm"
          leftSection={<IconGitCompare size={14} aria-hidden />}
        >
          Compare
        </Button>
      )}
      {chosen.length > 0 && (
        <Button size="compact-sm" variant="default" onClick={clear}>
          Choose none
        </Button>
      )}
    </div>
  )
}
