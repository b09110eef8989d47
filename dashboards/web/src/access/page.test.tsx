// @vitest-environment jsdom
import { screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { Gate } from '../login/gate'
import { answering, renderAt } from '../testing/render'
import AccessPage from './page'

afterEach(() => vi.restoreAllMocks())

test('a server without tokens is not asked for them, and whom it answers is said', async () => {
  const asked = answering({ '/v1/login': { tokens: false, oidc: null, public_url: null, principal: null } })
  const page = (
    <Gate>
      <AccessPage />
    </Gate>
  )
  renderAt('/access', page)
  expect(await screen.findByRole('heading', { name: 'Tokens are off' })).toBeTruthy()
  expect(screen.getByText(/answers on loopback only/)).toBeTruthy()
  expect(asked('/v1/tokens')).toEqual([])
})
