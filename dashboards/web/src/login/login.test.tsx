// @vitest-environment jsdom
import { screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { Suspense } from 'react'
import { expect, test, vi } from 'vitest'
import { api, ProblemError } from '../api/client'
import { ProblemAlert } from '../components/problem'
import { answering, renderAt } from '../testing/render'
import { Gate } from './gate'
import type { Login } from './queries'

const nobody: Login = { tokens: true, oidc: null, public_url: null, principal: null }
const ann: Login = {
  ...nobody,
  principal: {
    ...{
      kind: 'user',
      name: 'ann',
      tenant: 'a',
      all_tenants: false,
      scopes: ['read'],
      tenants: ['a'],
      expires_at: null,
      share: null,
    },
  },
}

const page = (
  <Suspense>
    <Gate>
      <p>the page</p>
    </Gate>
  </Suspense>
)

test('nobody sees the login in place of a page, and the page after it', async () => {
  answering({ '/v1/login': nobody })
  const post = vi.spyOn(api, 'POST').mockResolvedValue({ data: ann, response: Response.json({}) })
  renderAt('/usage', page)
  await userEvent.type(await screen.findByLabelText(/^Token/), ' td_x ')
  expect(screen.queryByText('the page')).toBeNull()
  await userEvent.click(screen.getByRole('button', { name: 'Log in with a token' }))
  expect(await screen.findByText('the page')).toBeTruthy()
  expect(post).toHaveBeenCalledWith('/v1/login', { body: { token: 'td_x' } })
})

test('the provider is offered where there is one, and returns to the page', async () => {
  answering({ '/v1/login': { ...nobody, oidc: 'https://deck.example.com/login/oidc' } })
  renderAt('/usage', page)
  const link = await screen.findByRole('link', { name: /Log in with/ })
  expect(link.getAttribute('href')).toBe('https://deck.example.com/login/oidc?return=%2F')
})

test('who is logged in, and everybody on a server without tokens, sees the page', async () => {
  answering({ '/v1/login': { ...nobody, tokens: false } })
  renderAt('/usage', page)
  expect(await screen.findByText('the page')).toBeTruthy()
})

test('a refusal leads to who is logged in, and is not asked for again', () => {
  const refused = new ProblemError({ title: 'Scope missing', status: 403, detail: 'no', hint: 'ask' })
  renderAt('/bills', <ProblemAlert error={refused} again={() => undefined} />)
  expect(screen.getByRole('link', { name: 'Who is logged in' }).getAttribute('href')).toBe('/login')
  expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull()
})
