// @vitest-environment jsdom
import { screen, within, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { api } from '../api/client'
import { answering, renderAt } from '../testing/render'
import AuditPage from './page'
import type { Entry } from './queries'

const entry: Entry = {
  ...{ id: 'a', at: '2026-11-01T10:00:00Z', tenant: 'acme', remote: '192.0.2.7', action: 'session.replay' },
  ...{ kind: 'session', object: 'run 1', detail: '', outcome: 'done', status: 200, request_id: 'r1' },
  principal: { kind: 'token', id: 't1', name: 'ci' },
}

afterEach(() => vi.restoreAllMocks())

test('an entry says who did what to which object, and how it ended', async () => {
  answering({
    '/v1/audit': {
      items: [entry, { ...entry, id: 'b', action: 'session.delete', outcome: 'refused', status: 403 }],
      next: null,
    },
  })
  renderAt('/audit', <AuditPage />)
  const table = within(await screen.findByRole('region', { name: 'Entries' }))
  const replayed = within(table.getByRole('row', { name: /session\.replay/ }))
  expect(replayed.getByText('ci', { exact: false }).textContent).toContain('ci token t1')
  expect(replayed.getByRole('link').getAttribute('href')).toBe('/sessions/run%201')
  const refused = within(table.getByRole('row', { name: /session\.delete/ }))
  expect(refused.getByText('refused 403')).toBeTruthy()
  expect(refused.queryByRole('link')).toBeNull()
})

test('filters are asked of the API and kept in the address', async () => {
  const user = userEvent.setup()
  const asked = answering({ '/v1/audit': { items: [entry], next: null } })
  const { history } = renderAt('/audit?action=token&from=now-7d', <AuditPage />)
  await screen.findByRole('region', { name: 'Entries' })
  expect(asked('/v1/audit').at(-1)).toEqual({ limit: 100, action: 'token', from: 'now-7d' })
  await user.selectOptions(screen.getByRole('combobox', { name: 'Outcome' }), 'refused')
  expect(history.at(-1)).toBe('/audit?action=token&outcome=refused&from=now-7d')
  await user.type(screen.getByRole('textbox', { name: 'Who' }), 'ci{Enter}')
  await waitFor(() => {
    expect(asked('/v1/audit').at(-1)).toEqual({
      limit: 100,
      principal: 'ci',
      action: 'token',
      outcome: 'refused',
      from: 'now-7d',
    })
  })
  expect(screen.getByRole('link', { name: 'CSV' }).getAttribute('href')).toBe(
    '/v1/audit?principal=ci&action=token&outcome=refused&from=now-7d&format=csv',
  )
})

test('nothing that is like the filter is said to be so', async () => {
  answering({ '/v1/audit': { items: [], next: null } })
  renderAt('/audit?outcome=failed', <AuditPage />)
  expect(await screen.findByRole('heading', { name: 'No entry is like this' })).toBeTruthy()
})

test('an empty answer says nothing about another filter that is asked for', async () => {
  const user = userEvent.setup()
  answering({ '/v1/audit': { items: [], next: null } })
  renderAt('/audit?outcome=failed', <AuditPage />)
  await screen.findByRole('heading', { name: 'No entry is like this' })
  vi.spyOn(api, 'GET').mockReturnValue(new Promise(() => undefined))
  await user.selectOptions(screen.getByRole('combobox', { name: 'Outcome' }), 'refused')
  await waitFor(() => expect(screen.queryByRole('heading', { name: 'No entry is like this' })).toBeNull())
})
