// @vitest-environment jsdom
import { useQuery } from '@tanstack/react-query'
import { cleanup, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { ProblemError, UnreachableError, type Schemas } from '../api/client'
import { loginQuery } from '../login/queries'
import { answering, renderAt } from '../testing/render'
import { useBarred } from './barred'

afterEach(() => vi.restoreAllMocks())

interface ShownProps {
  session: Partial<Schemas['SessionDetail']>
  error: Error | null
}

function Shown({ session, error }: ShownProps) {
  const login = useQuery(loginQuery)
  const barred = useBarred(session as Schemas['SessionDetail'], error)
  return login.data === undefined ? null : <p>{barred ?? 'can be played'}</p>
}

const refusal = (status: number, title: string) => new ProblemError({ status, title })

test.each<[string, Partial<Schemas['SessionDetail']>, Error | null, RegExp]>([
  ['read', {}, null, /^Your login does not have the scope read:raw: nothing can be played\.$/],
  ['read:raw', {}, null, /^can be played$/],
  ['admin', {}, null, /^can be played$/],
  ['admin', { frames_expired_at: '2026-04-01T12:00:00Z' }, null, /^The frames expired on .*Apr.*played\.$/],
  ['admin', {}, refusal(410, 'Session deleted'), /^The session has been deleted: nothing can be played\.$/],
  ['admin', {}, refusal(403, 'Not allowed'), /^Not allowed: nothing can be played\.$/],
  ['admin', {}, refusal(503, 'Busy'), /^can be played$/],
  ['admin', {}, new UnreachableError(), /^can be played$/],
])('with the scope %s, %o, after %o', async (scope, session, error, want) => {
  answering({ '/v1/login': { tokens: true, principal: { scopes: [scope] } } })
  renderAt('/sessions/demo', <Shown session={session} error={error} />)
  expect((await screen.findByText(/played/)).textContent).toMatch(want)
  cleanup()
})
