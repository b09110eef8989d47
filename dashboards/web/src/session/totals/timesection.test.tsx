// @vitest-environment jsdom
import { screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import type { Schemas } from '../../api/client'
import { answering, renderAt } from '../../testing/render'
import { span } from '../conversation/messages.fixture'
import { PlayerContext } from '../player/context'
import type { Player } from '../player/player'
import { TimeSection } from './timesection'

afterEach(() => vi.restoreAllMocks())

test('of many runs it says that there are more, and each can be chosen, at first the longest', async () => {
  answering({ '/v1/sessions/{id}/transcript': { items: [], next: null } })
  const spans = Array.from({ length: 120 }, (_, i) =>
    span({ id: `r${i}`, kind: 'run', name: '', start_ms: i * 10, duration_ms: i === 99 ? 9 : 5 }),
  )
  const timeline = { session_id: 's', started: '2026-03-02T10:00:00Z', duration_ms: 1200, spans, usage: [] }
  const player = { state: () => ({}), subscribe: () => () => undefined }
  renderAt(
    '/sessions/s',
    <PlayerContext value={player as unknown as Player}>
      <TimeSection timeline={timeline as unknown as Schemas['Timeline']} />
    </PlayerContext>,
  )
  expect(screen.getByText('and 70 more runs')).toBeTruthy()
  expect(screen.getByText('Critical path of Run 100')).toBeTruthy()
  await userEvent.selectOptions(screen.getByLabelText('Whose critical path'), 'Run 120')
  expect(screen.getByText('Critical path of Run 120')).toBeTruthy()
})
