import { Anchor, Center, Container, Text, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { usePrefetchQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import { Loading } from '../components/loading'
import { isRefused, type Schemas } from '../api/client'
import { ProblemAlert } from '../components/problem'
import { useBarred } from './barred'
import { SessionIdContext } from './context'
import { FindBar } from './find/bar'
import { FindProvider } from './find/provider'
import { useFolding } from './folding'
import { follow } from './following'
import { SessionHeader } from './header'
import classes from './page.module.css'
import { Notices } from './notices'
import { OpenStateContext, openStateOf } from './openstate'
import { momentOf } from './player/address'
import { PlayerContext } from './player/context'
import type { Player } from './player/player'
import { ReplayPlayer } from './player/replayplayer'
import { TransportBar } from './player/transport'
import { densityQuery, sessionQuery, timelineQuery, transcriptQuery } from './queries'
import { ageOf, isOpen } from './standing'
import { search } from './urlsearch'
import { useMomentInAddress } from './useplace'
import { Views } from './views'

/** One session: what it is, four views of one moment of it, and the player that sets the moment. */
export default function SessionPage({ id }: { id: string }) {
  const session = useQuery(sessionQuery(id))
  // What the views will ask for need not wait for the session.
  usePrefetchQuery(transcriptQuery(id))
  usePrefetchQuery(timelineQuery(id))
  usePrefetchQuery(densityQuery(id))
  if (session.data !== undefined)
    // With another start it is another session under the same id, of which nothing that was shown holds.
    return <Opened key={session.data.started} session={session.data} error={session.error} />
  if (session.error !== null)
    return (
      <Container py="xl" size="sm">
        <Title order={1} size="h3" mb="md" style={{ overflowWrap: 'anywhere' }}>
          {id}
        </Title>
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
      <Loading label="Loading the session" />
    </Center>
  )
}

/** A session that was loaded; `error` is that of its last request. */
function Opened({ session, error }: { session: Schemas['SessionDetail']; error: Error | null }) {
  useDocumentTitle(`${session.title === '' ? session.id : session.title} · tapedeck`)
  const client = useQueryClient()
  const player = usePlayerOf(session, useBarred(session, error))
  const refused = isRefused(error)
  const page = useRef<HTMLDivElement>(null)
  const [folded, fold] = useFolding(page)
  useRenewal(session, player)
  useEffect(() => {
    if (refused) return undefined
    player.open()
    const unfollow = follow(client, session.id, player)
    return () => {
      unfollow()
      player.close()
    }
  }, [client, player, session.id, refused])
  return (
    <SessionIdContext value={session.id}>
      <PlayerContext.Provider value={player}>
        <OpenStateContext value={openStateOf(session)}>
          <div ref={page} className={classes.page}>
            <Notices session={session} error={refused ? error : null} />
            <MomentInAddress started={session.started} />
            <FindProvider>
              <SessionHeader session={session} folded={folded} onFold={fold} />
              <FindBar session={session} />
              <Views session={session} />
              <TransportBar session={session} />
            </FindProvider>
          </div>
        </OpenStateContext>
      </PlayerContext.Provider>
    </SessionIdContext>
  )
}

function MomentInAddress({ started }: { started: string }) {
  useMomentInAddress(started)
  return null
}

/**
 * The player of a session, updated with the session's data and with why it cannot be played. A session that had ended
 * and continues, or may be played again, is followed anew.
 */
function usePlayerOf(session: Schemas['SessionDetail'], barred: string | null): ReplayPlayer {
  const { id, started, duration_ms } = session
  const running = isOpen(session) && barred === null
  const lost = session.status === 'lost'
  const age = running ? ageOf(session) : 0
  const make = (search: string) =>
    new ReplayPlayer({ session: id, started, duration: duration_ms, running, age }, momentOf(search, started))
  const [player, setPlayer] = useState(() => make(search()))
  const [ended, setEnded] = useState(!running)
  if (ended === running) {
    setEnded(!running)
    if (running && !player.state().running) setPlayer(make(''))
  }
  useEffect(() => player.bar(barred), [player, barred])
  useEffect(() => {
    player.grown(duration_ms, age)
    if (!running) player.finish(lost)
  }, [player, running, lost, age, duration_ms])
  const shown = useQuery({ ...timelineQuery(id), select: (timeline) => timeline.duration_ms }).data
  useEffect(() => {
    if (shown !== undefined) player.loaded(shown)
  }, [player, shown])
  return player
}

/** Fetches all that is shown anew when a session that nobody follows turns out to have other frames than it had. */
function useRenewal({ id, frames }: Schemas['SessionDetail'], player: Player) {
  const client = useQueryClient()
  const known = useRef(frames)
  useEffect(() => {
    if (frames === known.current) return
    known.current = frames
    if (!player.state().running) void client.invalidateQueries({ queryKey: ['session', id] })
  }, [client, player, id, frames])
}
