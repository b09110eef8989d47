import { Anchor, Skeleton, Text, TextInput, Title } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconGitCompare, IconSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { Empty } from '../components/empty'
import { ProblemAlert } from '../components/problem'
import { StatusBadge } from '../components/status'
import { Time } from '../components/time'
import { ToRecord } from '../components/torecord'
import { duration } from '../format/duration'
import classes from './choose.module.css'
import page from './page.module.css'
import { sessionQuery } from '../session/queries'
import { choicesQuery, compareAddress } from './queries'

/** Chooses the sessions that are missing. */
export function Choose({ a, b }: { a: string; b: string }) {
  const [text, type] = useState('')
  const [asked] = useDebouncedValue(text, 200)
  const { data, error, refetch } = useQuery(choicesQuery(asked))
  const chosen = a || b
  const choices = data?.filter(({ id }) => id !== chosen) ?? []
  const chosenStart = useQuery({ ...sessionQuery(chosen), enabled: chosen !== '' }).data?.started
  // The older one is A, so that what differs is what is new.
  const address = (choice: { id: string; started: string }) => {
    if (chosen === '') return compareAddress(choice.id)
    const older = chosenStart !== undefined && Date.parse(choice.started) <= Date.parse(chosenStart)
    return older ? compareAddress(choice.id, chosen) : compareAddress(chosen, choice.id)
  }
  return (
    <div className={page.page}>
      <Title order={1} size="h3">
        Compare
      </Title>
      <Text>
        {chosen === '' ? (
          'Choose the first of two sessions.'
        ) : (
          <>
            Choose the session to compare{' '}
            <Anchor component={Link} href={`/sessions/${encodeURIComponent(chosen)}`} inherit>
              {chosen}
            </Anchor>{' '}
            with.
          </>
        )}
      </Text>
      <TextInput
        aria-label="Search the sessions"
        placeholder="Title, id or tag"
        leftSection={<IconSearch size={16} />}
        maw={420}
        value={text}
        onChange={(event) => type(event.currentTarget.value)}
        data-autofocus
      />
      {error !== null && <ProblemAlert error={error} again={() => void refetch()} />}
      {data === undefined && error === null && (
        <Skeleton height={240} radius="md" role="status" aria-label="Loading the sessions" />
      )}
      {data !== undefined && choices.length === 0 && (
        <Empty
          title={asked === '' ? 'No other session is recorded' : 'No other session is like that'}
          icon={<IconGitCompare size={36} stroke={1.25} />}
        >
          {asked === '' ? (
            <>
              A comparison takes two. <ToRecord>Record a source</ToRecord> once more, or a file.
            </>
          ) : (
            'Clear the search to see the newest.'
          )}
        </Empty>
      )}
      <ul
        className={classes.list}
        aria-label="Sessions"
        data-ready={data !== undefined || undefined}
        hidden={choices.length === 0}
      >
        {choices.map(({ id, title, status, started, duration_ms }) => (
          <li key={id}>
            <Link href={address({ id, started })} className={classes.choice}>
              <span className={classes.name}>
                <strong>{title === '' ? id : title}</strong>
                {title !== '' && <span className={classes.id}>{id}</span>}
              </span>
              <StatusBadge status={status} />
              <Time at={started} />
              <span>{duration(duration_ms)}</span>
            </Link>
          </li>
        ))}
      </ul>
    </div>
  )
}
