// @vitest-environment jsdom
import { useQuery } from '@tanstack/react-query'
import { act, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { loginQuery, type Login } from '../login/queries'
import { answering, renderAt } from '../testing/render'
import { PaletteOpener } from './opener'

const drawn = vi.hoisted(() => vi.fn())
vi.mock('./palette', () => ({
  default: () => {
    drawn()
    return <p>the palette</p>
  },
}))
afterEach(() => vi.restoreAllMocks())

function Page() {
  const { data, refetch } = useQuery(loginQuery)
  return (
    <>
      <PaletteOpener />
      <button onClick={() => void refetch()}>log in</button>
      {data?.principal != null && <p>logged in</p>}
    </>
  )
}

test('the keys do nothing before the login, neither then nor after it', async () => {
  const login: { [route: string]: Partial<Login> } = { '/v1/login': { tokens: true, principal: null } }
  answering(login)
  renderAt('/login', <Page />)
  const user = userEvent.setup()
  await user.keyboard('{Control>}k{/Control}')
  login['/v1/login'] = { tokens: true, principal: { scopes: ['read'] } as never }
  await user.click(screen.getByRole('button', { name: 'log in' }))
  await screen.findByText('logged in')
  // It is drawn once its code has been loaded, and shown some time later.
  await act(async () => {
    await vi.dynamicImportSettled()
  })
  expect(drawn).not.toHaveBeenCalled()
  await user.keyboard('{Control>}k{/Control}')
  expect(await screen.findByText('the palette')).toBeTruthy()
})
