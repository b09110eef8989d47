// @vitest-environment jsdom
import { screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { answering, renderAt } from '../testing/render'
import RetentionPage from './page'
import type { Erasure, Policy, Preview } from './queries'

const none: Policy = { kind: 'frames', max_age_s: null, max_bytes: null, set_at: null, set_by: '' }

const erasure: Erasure = {
  ...{ id: 'e1', tenant: 'default', kind: 'tag', state: 'removed', tag: 'user', requested_by: 'root' },
  ...{ requested_at: '2026-11-01T00:00:00Z', due_at: '2026-11-01T01:00:00Z', overdue: true },
  ...{ hidden_at: '2026-11-01T00:00:01Z', removed_at: '2026-11-01T00:00:09Z', verified_at: null },
  ...{ found: { sessions: 3, streams: 3, frames: 30, bytes: 3000 }, waits_for: 'ClickHouse', remarks: [] },
}

const preview: Preview = {
  ...none,
  ...{ max_age_s: 864000, stored: { sessions: 9, bytes: 900 }, due: { sessions: 2, bytes: 200 } },
  ...{
    due_more: false,
    oldest: [],
    oldest_more: false,
    days: [{ day: '2026-11-05', sessions: 4, bytes: 400 }],
  },
}

afterEach(() => vi.restoreAllMocks())

function show(items: Preview[] = [preview]) {
  answering({
    '/v1/retention': {
      items: [
        { ...none, max_age_s: 864000 },
        { ...none, kind: 'charges' },
      ],
      next: null,
    },
    '/v1/retention/preview': { items, next: null },
    '/v1/erasures': { items: [erasure], next: null },
  })
  return renderAt('/retention', <RetentionPage />)
}

test('policies, what expires, and erasures with what they wait for', async () => {
  show()
  const policies = within(await screen.findByRole('region', { name: 'Policies' }))
  expect(policies.getByRole('row', { name: /^frames / }).textContent).toContain('10 days')
  expect(policies.getByRole('row', { name: /^charges / }).textContent).toContain('no limit')
  const expiring = within(await screen.findByRole('region', { name: 'What expires' }))
  expect(expiring.getByRole('row', { name: /within five minutes/ }).textContent).toContain('2 sessions')
  expect(expiring.getAllByRole('row')).toHaveLength(3)
  const row = within(await screen.findByRole('region', { name: 'Erasures' })).getByRole('row', {
    name: /3 sessions by tag user/,
  })
  expect(row.textContent).toContain('removed, overdue')
  expect(row.textContent).toContain('ClickHouse')
})

test('a dialog says what expires before the policy is set', async () => {
  show()
  await userEvent.click(await screen.findByRole('button', { name: 'Change frames' }))
  expect((await screen.findByRole('status')).textContent).toContain('2 sessions')
  const days = screen.getByLabelText('For days')
  await userEvent.clear(days)
  await userEvent.type(days, '-1')
  expect(within(screen.getByRole('dialog')).getByRole('button', { name: 'Set' })).toHaveProperty(
    'disabled',
    true,
  )
})

test('charges are kept for 13 months at least', async () => {
  show()
  await userEvent.click(await screen.findByRole('button', { name: 'Change charges' }))
  await userEvent.type(await screen.findByLabelText('For days'), '395')
  expect(screen.getByText(/396 or more/)).toBeTruthy()
  expect(within(screen.getByRole('dialog')).getByRole('button', { name: 'Set' })).toHaveProperty(
    'disabled',
    true,
  )
  expect(screen.queryByLabelText('Up to GB')).toBeNull()
})

test('without limits nothing expires', async () => {
  show([{ ...preview, max_age_s: null, due: { sessions: 0, bytes: 0 }, days: [] }])
  expect(await screen.findByText('Nothing expires in the next 30 days.')).toBeTruthy()
})
