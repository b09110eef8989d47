import { Anchor, Center, Container, Loader, Text } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { usePrefetchQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Link } from 'wouter'
import type { Schemas } from '../api/client'
import { ProblemAlert } from '../components/problem'
import { follow } from './following'
import { SessionHeader } from './header'
import classes from './page.module.css'
import { momentOf } from './player/address'
import { PlayerContext } from './player/context'
import { ReplayPlayer } from './player/replayplayer'
import { TransportBar } from './player/transport'
import { densityQuery, sessionQuery, timelineQuery, transcriptQuery } from './queries'
import { Views } from './views'

/** One session: what it is, four views of one moment of it, and the player that sets the moment. */
export default function SessionPage({ id }: { id: string }) {
  const session = useQuery(sessionQuery(id))
  // What the views will ask for need not wait for the session.
  usePrefetchQuery(transcriptQuery(id))
  usePrefetchQuery(timelineQuery(id))
  usePrefetchQuery(densityQuery(id))
  if (session.data !== undefined) return <Opened session={session.data} />
  if (session.error !== null)
    return (
      <Container py="xl" size="sm">
        <ProblemAlert error={session.error} again={() => void session.refetch()} />
        <Text size="sm" mt="md">
          <Anchor component={Link} href="/">
            All sessions
          </Anchor>
        </Text>
      </Container>
    )
  return (
    <Center h="50vh">
      <Loader aria-label="Loading the session" />
    </Center>
  )
}

function Opened({ session }: { session: Schemas['SessionDetail'] }) {
  useDocumentTitle(`${session.title === '' ? session.id : session.title} · tapedeck`)
  const client = useQueryClient()
  const running = session.status === 'running'
  const [player] = useState(
    () =>
      new ReplayPlayer(
        { session: session.id, started: session.started, duration: session.duration_ms, running },
        momentOf(location.search, session.started),
      ),
  )
  useEffect(() => {
    player.open()
    const unfollow = follow(client, session.id, player)
    return () => {
      unfollow()
      player.close()
    }
  }, [client, player, session.id])
  useEffect(() => {
    if (running) player.grown(session.duration_ms)
    else player.finish()
  }, [player, running, session.duration_ms])
  return (
    <PlayerContext.Provider value={player}>
      <div className={classes.page}>
        <SessionHeader session={session} />
        <Views session={session} />
        <TransportBar session={session} />
      </div>
    </PlayerContext.Provider>
  )
}
