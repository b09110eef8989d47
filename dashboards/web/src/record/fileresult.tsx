import { Anchor, Button, Progress, Text } from '@mantine/core'
import { Link } from 'wouter'
import { ProblemError } from '../api/client'
import { counted, percent } from '../format/numbers'
import classes from './drop.module.css'
import type { Uploaded } from './upload'

/** The state of a file: being sent, recorded, or refused. */
export interface FileState {
  key: string
  name: string
  /** How much of it is sent, 0 to 1. */
  share?: number
  result?: Uploaded
  error?: Error
  /** The session that has the file's bytes already, and what records them once more. */
  known?: { session: string; recordAgain: () => void }
}

export function FileResult({ file: { name, share, result, error, known } }: { file: FileState }) {
  return (
    <div className={classes.result}>
      <Text size="sm" fw={500} truncate>
        {name}
      </Text>
      {share !== undefined && (
        <>
          <Progress value={share * 100} size="sm" aria-label={`Sending ${name}`} />
          <Text size="xs" c="dimmed">
            {share < 1 ? `${percent(share)} sent` : 'Sent; it is being made durable'}
          </Text>
        </>
      )}
      {error !== undefined && (
        <Text size="xs" className={classes.refused}>
          {error instanceof ProblemError ? (error.problem.detail ?? error.problem.title) : error.message}
          {error instanceof ProblemError && error.problem.hint !== undefined && ` ${error.problem.hint}`}
        </Text>
      )}
      {known !== undefined && (
        <>
          <Text size="xs">
            These bytes are session{' '}
            <Anchor component={Link} href={`/sessions/${encodeURIComponent(known.session)}`} size="xs">
              {known.session}
            </Anchor>{' '}
            already. Nothing was recorded.
          </Text>
          <Button size="compact-xs" variant="default" onClick={known.recordAgain}>
            Record again
          </Button>
        </>
      )}
      {result !== undefined && <Recorded result={result} />}
    </div>
  )
}

function Recorded({ result: { sessions, frames, rejected, dialect, reason } }: { result: Uploaded }) {
  return (
    <>
      <Text size="xs" c="dimmed">
        {counted(frames, 'frame')} recorded{dialect !== '' && ` as ${dialect}`}
      </Text>
      {sessions.slice(0, 10).map((id) => (
        <Anchor key={id} component={Link} href={`/sessions/${encodeURIComponent(id)}`} size="sm">
          Open {id}
        </Anchor>
      ))}
      {sessions.length > 10 && (
        <Text size="xs" c="dimmed">
          and {counted(sessions.length - 10, 'session')} more
        </Text>
      )}
      {reason !== '' && (
        <Text size="xs" className={classes.refused}>
          Not all of it: {reason}
        </Text>
      )}
      {rejected.length > 0 && (
        <details className={classes.rejected}>
          <summary>{counted(rejected.length, 'line was', 'lines were')} rejected</summary>
          <ul>
            {rejected.slice(0, 50).map(({ line, reason: why }) => (
              <li key={line}>
                line {line}: {why}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}
