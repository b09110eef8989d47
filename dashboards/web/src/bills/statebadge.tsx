import { Badge } from '@mantine/core'
import type { State } from './queries'
import { stateText } from './words'

const colours: Record<State, string> = { open: 'gray', draft: 'yellow', closed: 'teal' }

/** The state of a period, with what it means as a hint. */
export function StateBadge({ state }: { state: State }) {
  return (
    <Badge
      size="sm"
      radius="sm"
      variant={state === 'draft' ? 'light' : 'default'}
      color={colours[state]}
      tt="none"
      fw={500}
      title={stateText[state]}
      {...(state === 'draft' && { c: 'var(--text-warn)' })}
    >
      {state}
    </Badge>
  )
}
