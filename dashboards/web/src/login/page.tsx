import { Anchor, Button, PasswordInput, Stack, Text, Title } from '@mantine/core'
import { IconLogin2 } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { ProblemAlert } from '../components/problem'
import { useTitle } from '../components/title'
import classes from './page.module.css'
import { logIn, loginQuery, logOut, rightsOf, startOver, type Login } from './queries'

/** Logs in, by the OpenID provider or a token; or shows who is logged in. */
export default function LoginPage() {
  useTitle('Log in')
  const { data } = useQuery(loginQuery)
  if (data === undefined) return null
  return (
    <div className={classes.page} data-ready>
      {data.principal === null ? <Forms login={data} /> : <LoggedIn login={data} />}
    </div>
  )
}

function Forms({ login: { oidc } }: { login: Login }) {
  const client = useQueryClient()
  const [path] = useLocation()
  const [token, setToken] = useState('')
  const entering = useMutation({ mutationFn: logIn, onSuccess: (login) => startOver(client, login) })
  const back = path === '/login' ? '/' : location.pathname + location.search
  return (
    <Stack gap="md">
      <header>
        <Title order={1} size="h3">
          Log in
        </Title>
        <Text size="sm" c="dimmed" mt={4}>
          This server shows recordings to those who are logged in.
        </Text>
      </header>
      {oidc !== null && (
        <>
          <Button
            component="a"
            href={`${oidc}?return=${encodeURIComponent(back)}`}
            leftSection={<IconLogin2 size={18} />}
          >
            Log in with{' '}
            {new URL(oidc).host === location.host ? 'your account' : `your account at ${new URL(oidc).host}`}
          </Button>
          <Text size="sm" c="dimmed" ta="center">
            or
          </Text>
        </>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault()
          entering.mutate(token.trim())
        }}
      >
        <Stack gap="sm">
          <PasswordInput
            label="Token"
            placeholder="td_…"
            description="The login ends when the token does."
            autoComplete="off"
            value={token}
            onChange={(event) => setToken(event.currentTarget.value)}
            required
            {...(oidc === null && { 'data-autofocus': true, autoFocus: true })}
          />
          {entering.error !== null && <ProblemAlert error={entering.error} />}
          <Button
            type="submit"
            {...(oidc !== null && { variant: 'default' })}
            loading={entering.isPending}
            disabled={token.trim() === ''}
          >
            Log in with a token
          </Button>
        </Stack>
      </form>
      <Text size="sm" c="dimmed">
        An administrator makes a token with <code>tapedeck tokens create</code>. The first one is in the file{' '}
        <code>admin-token</code> of the server’s data directory.
      </Text>
    </Stack>
  )
}

function LoggedIn({ login: { principal, tokens } }: { login: Login }) {
  const client = useQueryClient()
  const leaving = useMutation({ mutationFn: logOut, onSuccess: () => startOver(client) })
  return (
    <Stack gap="md">
      <Title order={1} size="h3">
        {tokens ? 'You are logged in' : 'No login is needed'}
      </Title>
      <Text size="sm">
        {tokens && principal !== null
          ? `${principal.name}, ${rightsOf(principal)}.`
          : 'This server has no tokens: everybody on this machine may do everything.'}
      </Text>
      {leaving.error !== null && <ProblemAlert error={leaving.error} />}
      {tokens && (
        <Button variant="default" onClick={() => leaving.mutate()} loading={leaving.isPending}>
          Log out
        </Button>
      )}
      <Anchor component={Link} href="/" size="sm">
        To the sessions
      </Anchor>
    </Stack>
  )
}
