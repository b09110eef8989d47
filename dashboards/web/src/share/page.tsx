import { Center, Container, Text, Title } from '@mantine/core'
import { IconEyeOff } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Loading } from '../components/loading'
import { openShared, type Schemas } from '../api/client'
import { Notice } from '../components/notice'
import { ProblemAlert } from '../components/problem'
import { Time } from '../components/time'
import { loginQuery } from '../login/queries'
import SessionPage from '../session/page'
import { useTitle } from '../components/title'
import classes from './page.module.css'

/** The secret of the link, which follows the # of the address. */
const text = location.hash.slice(1)
if (text !== '') openShared(text)

/** What a shared link shows: one session, read only. */
export default function SharePage() {
  useTitle('Shared session')
  const login = useQuery({ ...loginQuery, retry: false, enabled: text !== '' })
  const principal = login.data?.principal ?? null
  const share = principal?.share ?? null
  if (principal !== null && share !== null)
    return (
      <main className={classes.page}>
        <Notice icon={<IconEyeOff size={16} />}>
          <About share={share} until={principal.expires_at} />
        </Notice>
        <div className={classes.session}>
          <SessionPage id={share.session} />
        </div>
      </main>
    )
  if (login.isLoading)
    return (
      <Center h="50vh">
        <Loading label="Loading the page" />
      </Center>
    )
  return (
    <Container component="main" py="xl" size="sm" data-ready>
      <Title order={1} size="h3" mb="md">
        Shared session
      </Title>
      {login.error !== null ? (
        <ProblemAlert error={login.error} />
      ) : (
        <Text size="sm">
          This link is not complete: what follows <code>#</code> in it is missing. Ask who sent it for the
          whole link.
        </Text>
      )}
    </Container>
  )
}

interface AboutProps {
  share: NonNullable<Principal['share']>
  until: string | null
}

function About({ share: { from, to, note }, until }: AboutProps) {
  return (
    <>
      {note !== '' && <b>{note}. </b>}A recording that was shared with you, read only, with secrets masked.
      {from !== null && (
        <>
          {' '}
          It begins at <Time at={from} />.
        </>
      )}
      {to !== null && (
        <>
          {' '}
          What was recorded after <Time at={to} /> is not shared.
        </>
      )}
      {until !== null && (
        <>
          {' '}
          The link works until <Time at={until} />.
        </>
      )}
    </>
  )
}

type Principal = NonNullable<Schemas['Login']['principal']>
