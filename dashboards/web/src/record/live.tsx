import { Anchor, Skeleton, Text, Title } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from 'wouter'
import { ProblemAlert } from '../components/problem'
import { Time } from '../components/time'
import { ago } from '../format/moment'
import { bytes, count, counted } from '../format/numbers'
import { endText } from './endreason'
import classes from './live.module.css'
import page from './page.module.css'
import { failedQuery, liveQuery } from './queries'
import { keyOf, type LiveStream, type SessionStream } from './rates'

/** After so long without a frame a stream is quiet, ms. */
const silence = 5_000

/** The streams that are being recorded, with how fast they come. */
export function LiveStreams() {
  const queries = useQueryClient()
  const live = useQuery(liveQuery(queries))
  if (live.data === undefined)
    return live.error === null ? (
      <Skeleton height={64} radius="md" />
    ) : (
      <ProblemAlert error={live.error} again={() => void live.refetch()} />
    )
  const { streams, at } = live.data
  if (streams.length === 0)
    return (
      <Text size="sm" c="dimmed">
        Nothing is being recorded. Connect a source, and its stream shows here.
      </Text>
    )
  return (
    <ul className={classes.list}>
      {streams.map((one) => (
        <Live key={keyOf(one)} one={one} at={at} />
      ))}
    </ul>
  )
}

function Live({ one, at }: { one: LiveStream; at: number }) {
  const { stream, framesPerSecond, bytesPerSecond } = one
  // Before there is a rate, a stream that has been silent for a while is quiet all the same.
  const quiet = framesPerSecond === 0 || at - Date.parse(stream.last_at) > silence
  return (
    <li className={classes.stream}>
      <span className={classes.dot} data-quiet={quiet || undefined} aria-hidden />
      <div className={classes.what}>
        <SessionLink one={one} />
        <Text size="xs" c="dimmed" truncate>
          {stream.dialect} over {stream.transport}
          {stream.source !== '' && ` from ${stream.source}`}
        </Text>
      </div>
      <div className={classes.rates}>
        <div>{framesPerSecond === null ? '…' : `${count(Math.round(framesPerSecond))} frames/s`}</div>
        <Text size="xs" c="dimmed">
          {quiet ? `last frame ${ago(stream.last_at, at)}` : `${bytes(bytesPerSecond ?? 0)}/s`}
        </Text>
      </div>
      <div className={classes.sums}>
        <div>{counted(stream.frames, 'frame')}</div>
        <Text size="xs" c="dimmed">
          {bytes(stream.bytes)}
        </Text>
      </div>
    </li>
  )
}

/** The streams that ended in an error last; nothing where there are none. */
export function FailedStreams() {
  const failed = useQuery(failedQuery)
  if (failed.data === undefined || failed.data.length === 0) return null
  return (
    <section aria-labelledby="failed" className={page.section}>
      <Title order={2} size="h5" id="failed">
        Ended in an error
      </Title>
      <ul className={classes.list} aria-labelledby="failed">
        {failed.data.map((one) => (
          <li key={keyOf(one)} className={classes.stream}>
            <span className={classes.dot} data-failed aria-hidden />
            <div className={classes.what}>
              <SessionLink one={one} />
              <Text size="xs" className={classes.reason}>
                {endText(one.stream.end_reason)}
              </Text>
            </div>
            <Text size="xs" c="dimmed">
              <Time at={one.stream.last_at} />
            </Text>
          </li>
        ))}
      </ul>
    </section>
  )
}

function SessionLink({ one }: { one: SessionStream }) {
  return (
    <Anchor
      component={Link}
      href={`/sessions/${encodeURIComponent(one.session_id)}`}
      size="sm"
      fw={500}
      truncate
      display="block"
    >
      {one.session_id}
    </Anchor>
  )
}
