// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { MantineProvider } from '@mantine/core'
import { act, cleanup, render, screen, within, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Router } from 'wouter'
import { memoryLocation } from 'wouter/memory-location'
import { api, type Schemas } from '../../api/client'
import { type Login, loginQuery, type Principal } from '../../login/queries'
import { PlayerContext } from '../player/context'
import type { Player } from '../player/player'
import { SessionMenu } from './menu'

const session = {
  id: 'demo',
  title: 'Fix it',
  started: '2026-03-02T10:00:00Z',
  status: 'ok',
  frames: 12,
  bytes: 3400,
  dialects: ['loom'],
} as unknown as Schemas['SessionDetail']

beforeEach(() => {
  vi.spyOn(api, 'GET').mockImplementation(((
    route: string,
    init: { params: { query: { protocol?: string } } },
  ) =>
    Promise.resolve(
      route.endsWith('/emulation')
        ? { response: new Response(null, { status: init.params.query.protocol === 'loom' ? 204 : 409 }) }
        : { data: { dialects: ['ag-ui'] }, response: Response.json({}) },
    )) as never)
})
afterEach(() => vi.restoreAllMocks())

/** Opens the menu of a session for somebody with some scopes. Returns the names of its items. */
async function open(scopes: Principal['scopes'], change: Partial<Schemas['SessionDetail']> = {}) {
  const user = userEvent.setup()
  const location = memoryLocation({ path: '/sessions/demo', record: true })
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const login = { tokens: true, public_url: 'https://deck.example', principal: { scopes } }
  queries.setQueryData(loginQuery.queryKey, login as Login)
  const player = { state: () => ({ offset: 2500 }), subscribe: () => () => undefined }
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={queries}>
        <Router hook={location.hook}>
          <PlayerContext.Provider value={player as unknown as Player}>
            <SessionMenu session={{ ...session, ...change }} />
          </PlayerContext.Provider>
        </Router>
      </QueryClientProvider>
    </MantineProvider>,
  )
  const button = screen.queryByRole('button', { name: 'Session menu' })
  if (button !== null) await user.click(button)
  const items =
    button === null ? [] : (await screen.findAllByRole('menuitem')).map((item) => item.textContent)
  const choose = async (name: string) => {
    await user.click(screen.getByRole('menuitem', { name }))
    return within(await screen.findByRole('dialog'))
  }
  return { user, items, choose, history: location.history }
}

test('everybody sees what they may', async () => {
  expect((await open(['read'])).items).toEqual(['Compare with…'])
  cleanup()
  expect((await open(['read:raw'])).items).toEqual([
    'Compare with…',
    'Export…',
    'Replay into my UI…',
    'Emulate…',
    'Share…',
  ])
})

test('an administrator also decodes and deletes', async () => {
  expect((await open(['admin'])).items.slice(5)).toEqual(['Decode again…', 'Delete…'])
})

test('the tape is downloaded, and the command writes other formats', async () => {
  const { user, choose } = await open(['read:raw'])
  const dialog = await choose('Export…')
  expect(dialog.getByRole('link', { name: 'Download the tape' }).getAttribute('href')).toBe(
    '/v1/sessions/demo/tape',
  )
  await user.selectOptions(dialog.getByLabelText('Format of the command'), 'har')
  expect(dialog.getByLabelText('the command that exports').textContent).toBe(
    'tapedeck export --server https://deck.example --format har -o demo.har demo',
  )
})

test('of expired frames there is no tape', async () => {
  const { choose } = await open(['read:raw'], { frames_expired_at: '2026-04-01T00:00:00Z' })
  const dialog = await choose('Export…')
  expect(dialog.getByText(/There is nothing left to export/)).toBeTruthy()
  expect(dialog.queryByRole('link')).toBeNull()
})

test('the address begins at the moment', async () => {
  const { user, choose } = await open(['read:raw'])
  const dialog = await choose('Replay into my UI…')
  await user.click(dialog.getByLabelText('From the player’s moment, 0:02.500'))
  expect(dialog.getByLabelText('the replay address').textContent).toBe(
    'https://deck.example/v1/sessions/demo/replay?from=%2B2.5s',
  )
  expect(dialog.getByLabelText('the request by curl').textContent).toContain('Bearer $TAPEDECK_TOKEN')
})

test('a session is emulated in the protocols that it speaks', async () => {
  const { choose } = await open(['read:raw'])
  const dialog = await choose('Emulate…')
  expect((await dialog.findByLabelText('the command that emulates Loom')).textContent).toBe(
    'tapedeck emulate loom --server https://deck.example demo',
  )
  expect(dialog.queryByLabelText('the command that emulates HTTP')).toBeNull()
})

test('a server that is busy is no session without recorded requests', async () => {
  const busy = { title: 'Busy', status: 503, detail: 'Too many at once.' }
  vi.spyOn(api, 'GET').mockResolvedValue({ error: busy, response: Response.json(busy, { status: 503 }) })
  const { choose } = await open(['read:raw'])
  const dialog = await choose('Emulate…')
  expect((await dialog.findByRole('alert')).textContent).toContain('Too many at once.')
  expect(dialog.queryByText(/^No protocol can be emulated/)).toBeNull()
  expect(dialog.getByRole('button', { name: 'Try again' })).toBeTruthy()
})

test('a deletion that ends after its page was left does not change the page', async () => {
  let end: (answer: { response: Response }) => void = () => undefined
  const answer = new Promise<{ response: Response }>((resolve) => (end = resolve))
  vi.spyOn(api, 'DELETE').mockReturnValue(answer)
  const { user, choose, history } = await open(['admin'])
  const dialog = await choose('Delete…')
  await user.click(dialog.getByRole('button', { name: 'Delete the session' }))
  await user.keyboard('{Escape}')
  expect(screen.getByRole('dialog')).toBeTruthy()
  cleanup()
  await act(async () => {
    end({ response: new Response(null, { status: 204 }) })
    await answer
  })
  expect(history).toEqual(['/sessions/demo'])
})

test('a deletion is confirmed, and leaves the page', async () => {
  const remove = vi.spyOn(api, 'DELETE').mockResolvedValue({ response: new Response(null, { status: 204 }) })
  const { user, choose, history } = await open(['admin'])
  const dialog = await choose('Delete…')
  expect(remove).not.toHaveBeenCalled()
  await user.click(dialog.getByRole('button', { name: 'Delete the session' }))
  expect(remove).toHaveBeenCalledWith('/v1/sessions/{id}', { params: { path: { id: 'demo' } } })
  await waitFor(() => expect(history.at(-1)).toBe('/'))
})

test('a session is decoded again as a dialect, which says what it came to', async () => {
  const post = vi.spyOn(api, 'POST').mockResolvedValue({
    data: {
      streams: [
        { stream_id: 's', dialect_before: 'loom', dialect_after: 'ag-ui', frames: 12, spans: 3, messages: 1 },
      ],
    },
    response: Response.json({}),
  })
  const { user, choose } = await open(['admin'])
  const dialog = await choose('Decode again…')
  await dialog.findByRole('option', { name: 'ag-ui' })
  await user.selectOptions(dialog.getByLabelText('Dialect'), 'ag-ui')
  await user.click(dialog.getByRole('button', { name: 'Decode again' }))
  expect(post.mock.calls[0]?.[1]).toEqual({ params: { path: { id: 'demo' }, query: { dialect: 'ag-ui' } } })
  expect(await dialog.findByText(/as ag-ui, no more as loom: 12 frames, 3 spans, 1 message\./)).toBeTruthy()
})
