// @vitest-environment jsdom
import { screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { useSessionId } from '../session/context'
import { MomentLink } from '../session/moment'
import { useOpenState } from '../session/openstate'
import { usePlayer, usePlayerState } from '../session/player/context'
import { answering, renderAt } from '../testing/render'
import { Together } from './together'

// A conversation draws only what is in sight, and nothing has a height here.
vi.mock('../session/conversation/conversation', () => ({
  Conversation: function Conversation() {
    const player = usePlayer()
    return (
      <>
        <MomentLink ms={1500} started="2026-03-02T10:00:00Z" />
        <button onClick={() => player.seek(player.state().duration)}>end</button>
        <p>{[useSessionId(), usePlayerState((state) => state.offset), useOpenState()].join(' ')}</p>
      </>
    )
  },
}))

afterEach(() => vi.restoreAllMocks())

const session = {
  ...{ id: 'one', title: '', status: 'lost', started: '2026-03-02T10:00:00Z', duration_ms: 4000 },
  ...{ frames: 2, streams: [] },
}

const pane = (letter: string) => within(screen.getByRole('group', { name: `Session ${letter}` }))

async function show(change: object = {}) {
  answering({ '/v1/sessions/{id}': { ...session, ...change } })
  history.replaceState(null, '', '/compare?a=one&b=other')
  renderAt('/compare?a=one&b=other', <Together pair={{ a: 'one', b: 'other', exact: false }} />)
  await screen.findByRole('slider', { name: 'Moment of both' })
}

test('a moment in one conversation moves both, and leaves the address as it is', async () => {
  await show()
  await userEvent.click(pane('A').getByRole('button', { name: 'Go to 0:01.500' }))
  expect(pane('A').getByText(/ 1500 /)).toBeTruthy()
  expect(pane('B').getByText(/ 1500 /)).toBeTruthy()
  expect(location.search).toBe('?a=one&b=other')
})

test('each conversation knows its session, and that a lost one left its spans open', async () => {
  await show()
  await userEvent.click(pane('A').getByRole('button', { name: 'end' }))
  expect(pane('A').getByText('one 4000 unclosed')).toBeTruthy()
})

test('sessions whose frames expired are not played', async () => {
  await show({ frames_expired_at: '2026-04-01T12:00:00Z' })
  expect(await screen.findByText(/^The frames expired on .*: nothing can be played\.$/)).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Play both from here' })).toHaveProperty('disabled', true)
})
