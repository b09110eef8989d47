// @vitest-environment jsdom
import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { api } from '../../api/client'
import { span } from '../conversation/messages.fixture'
import { PlayerContext } from '../player/context'
import type { Player } from '../player/player'
import { SpanFrames } from './spanframes'

afterEach(() => vi.restoreAllMocks())

test('the frames of a span that goes on are fetched again as it does, and there are at most so many', async () => {
  let stored = 3
  const frames = () =>
    Array.from({ length: Math.min(stored, 20) }, (_, i) => ({
      ...{ position: `${i}.s.${i}`, offset_ms: i, type: `type ${i}`, direction: 'receive', size: 1 },
      ...{ agent: '', node_id: '', flags: [], frame: {}, dialect: 'loom' },
    }))
  vi.spyOn(api, 'GET').mockImplementation((() =>
    Promise.resolve({ data: { items: frames(), next: null }, response: Response.json({}) })) as never)
  const queries = new QueryClient()
  const player = { state: () => ({}), subscribe: () => () => undefined }
  const shown = (end: number) => (
    <MantineProvider env="test">
      <QueryClientProvider client={queries}>
        <PlayerContext value={player as unknown as Player}>
          <SpanFrames session="demo" started="2026-03-02T10:00:00Z" span={span()} end={end} />
        </PlayerContext>
      </QueryClientProvider>
    </MantineProvider>
  )
  const { rerender } = render(shown(5))
  await userEvent.click(screen.getByRole('button', { name: /^Show the frames/ }))
  expect(await screen.findByText('type 2')).toBeTruthy()
  expect(screen.queryByText(/^Later ones/)).toBeNull()
  stored = 40
  rerender(shown(1000))
  expect(await screen.findByText('type 19')).toBeTruthy()
  expect(screen.getByText('Later ones are listed under Frames.')).toBeTruthy()
})
