import { Anchor, Badge, Text } from '@mantine/core'
import { Link } from 'wouter'
import { Time } from '../components/time'
import type { Column } from '../reports/column'
import { addressOf } from './address'
import { outcomes } from './filter'
import type { Entry } from './queries'

export const columns: Column<Entry>[] = [
  { name: 'time', key: ({ at }) => at, cell: ({ at }) => <Time at={at} /> },
  {
    name: 'who',
    key: ({ principal }) => whoText(principal),
    cell: ({ principal }) => (
      <>
        {principal.name || 'unknown'}{' '}
        {principal.id !== '' && (
          <Text span inherit c="dimmed">
            {principal.kind} {principal.id}
          </Text>
        )}
      </>
    ),
  },
  { name: 'action', key: ({ action }) => action, cell: ({ action }) => action },
  {
    name: 'object',
    key: ({ object, detail }) => `${object} ${detail}`.trim(),
    cell: (entry) => <ObjectOf entry={entry} />,
  },
  {
    name: 'outcome',
    key: ({ outcome }) => outcome,
    cell: (entry) => <OutcomeBadge entry={entry} />,
  },
  { name: 'address', key: ({ remote }) => remote, cell: ({ remote }) => remote || '–' },
  { name: 'tenant', key: ({ tenant }) => tenant, cell: ({ tenant }) => tenant || '–' },
  {
    name: 'request',
    hint: 'As X-Request-Id of the answer has it.',
    key: ({ request_id }) => request_id,
    cell: ({ request_id }) => request_id || '–',
  },
]

function whoText({ name, kind, id }: Entry['principal']): string {
  return `${name || 'unknown'} ${kind} ${id}`.trim()
}

/** What an action was done to, with a link to its page. */
function ObjectOf({ entry }: { entry: Entry }) {
  const { object, detail } = entry
  const address = addressOf(entry)
  return (
    <>
      {address === null ? (
        object || '–'
      ) : (
        <Anchor component={Link} href={address} inherit>
          {object}
        </Anchor>
      )}
      {detail !== '' && (
        <Text span inherit c="dimmed">
          {' '}
          {detail}
        </Text>
      )}
    </>
  )
}

const colours: Record<Entry['outcome'], string> = {
  done: 'gray',
  refused: 'red',
  invalid: 'yellow',
  failed: 'red',
  aborted: 'gray',
  begun: 'yellow',
}

/** Letters that can be read on the light grounds of these. */
const letters: Record<Exclude<Entry['outcome'], 'done'>, string> = {
  refused: 'var(--text-error)',
  invalid: 'var(--text-warn)',
  failed: 'var(--text-error)',
  aborted: 'var(--mantine-color-text)',
  begun: 'var(--text-warn)',
}

function OutcomeBadge({ entry: { outcome, status } }: { entry: Entry }) {
  return (
    <Badge
      size="sm"
      radius="sm"
      variant={outcome === 'done' ? 'default' : 'light'}
      color={colours[outcome]}
      {...(outcome !== 'done' && { c: letters[outcome] })}
      tt="none"
      fw={500}
      title={outcomes[outcome]}
    >
      {outcome}
      {outcome !== 'done' && status !== 0 && ` ${String(status)}`}
    </Badge>
  )
}
