// @vitest-environment jsdom
import { screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import type { Schemas } from '../../api/client'
import { alert } from '../../testing/alert'
import { turnOffPolls } from '../../testing/polls'
import { answering, renderAt } from '../../testing/render'
import { PlayerContext } from '../player/context'
import type { Player } from '../player/player'
import { AlertList, OpenAlert } from './alerts'

turnOffPolls()

afterEach(() => vi.restoreAllMocks())

const session = { id: 's', started: '2026-03-02T10:00:00Z', status: 'quiet' } as Schemas['SessionDetail']

/** Shows the alerts of the session; returns the function that seeks. */
function show(...items: Schemas['Alert'][]) {
  const asked = answering({ '/v1/alerts': { items, next: null } })
  const seek = vi.fn()
  renderAt(
    '/sessions/s',
    <PlayerContext.Provider value={{ seek } as unknown as Player}>
      <div data-testid="mark">
        <OpenAlert session={session} />
      </div>
      <AlertList session={session} />
    </PlayerContext.Provider>,
  )
  return { asked, seek }
}

test('the open alert is marked with its rule and since when, and a click on it leads to its begin', async () => {
  const user = userEvent.setup()
  const { asked, seek } = show(
    alert({ id: '1', rule: 'tool-hangs' }),
    alert({ id: '2', rule: 'earlier', began: '2026-03-02T10:00:30Z', ended: '2026-03-02T10:01:40Z' }),
  )
  const list = within(await screen.findByRole('list', { name: 'Alerts' }))
  expect(screen.getByTestId('mark').textContent).toMatch(/^tool-hangs since (2 Mar|\d)/)
  const [open, ended] = list.getAllByRole('listitem')
  expect(open?.textContent).toMatch(/^ ?tool-hangs since .*: no frame for more than 2m0s$/)
  expect(ended?.textContent).toMatch(/^ ?earlier at .* for 1 m 10 s: no frame/)
  await user.click(list.getByRole('button', { name: 'tool-hangs' }))
  expect(seek).toHaveBeenLastCalledWith(120_000)
  expect(asked('/v1/alerts')).toEqual([{ session: 's', limit: 500 }])
})

test('of many alerts the latest are listed, and the others on request', async () => {
  const user = userEvent.setup()
  show(...Array.from({ length: 5 }, (_, i) => alert({ id: String(i), ended: '2026-03-02T10:03:00Z' })))
  const list = within(await screen.findByRole('list', { name: 'Alerts' }))
  expect(screen.getByTestId('mark').textContent).toBe('')
  expect(list.getAllByRole('listitem')).toHaveLength(4)
  await user.click(list.getByRole('button', { name: '2 more' }))
  expect(list.getAllByRole('listitem')).toHaveLength(5)
})
