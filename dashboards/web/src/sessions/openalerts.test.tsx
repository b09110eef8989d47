// @vitest-environment jsdom
import { screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { alert } from '../testing/alert'
import { turnOffPolls } from '../testing/polls'
import { answering, renderAt } from '../testing/render'
import { session } from '../testing/session'
import { Progress } from './progress'

turnOffPolls()

afterEach(() => vi.restoreAllMocks())

test('the rows of open sessions show their open alerts, with one request', async () => {
  const asked = answering({
    '/v1/alerts': {
      items: [
        alert({ id: '1', rule: 'tool-hangs', detail: 'bash is open' }),
        alert({ id: '2' }),
        alert({ id: '3', session_id: 'other', rule: 'too-dear' }),
      ],
      next: null,
    },
  })
  renderAt(
    '/',
    <>
      <div data-testid="s">
        <Progress session={session({ status: 'quiet', silent_ms: 60_000 })} />
      </div>
      <div data-testid="other">
        <Progress session={session({ id: 'other', status: 'lost' })} />
      </div>
      <div data-testid="healthy">
        <Progress session={session({ id: 'healthy', status: 'running' })} />
      </div>
      <div data-testid="ended">
        <Progress session={session({ id: 's', status: 'ok' })} />
      </div>
    </>,
  )
  const mark = await screen.findByTitle('tool-hangs: bash is open silent: no frame for more than 2m0s')
  expect(mark.textContent).toMatch(/^tool-hangs since .* \+ 1$/)
  expect(screen.getByTestId('s').textContent).toMatch(/silent for 1 m 00 s ?tool-hangs since/)
  expect(screen.getByTestId('other').textContent).toMatch(/^too-dear since [^+]*$/)
  expect(screen.getByTestId('healthy').textContent).toBe('')
  expect(screen.getByTestId('ended').textContent).toBe('')
  expect(asked('/v1/alerts')).toEqual([{ state: 'open', limit: 500 }])
})

test('a list without an open session asks for no alerts', async () => {
  const asked = answering({})
  renderAt('/', <Progress session={session({ status: 'error' })} />)
  await new Promise((done) => setTimeout(done)) // whatever begins with the first picture has begun
  expect(asked('/v1/alerts')).toEqual([])
})
