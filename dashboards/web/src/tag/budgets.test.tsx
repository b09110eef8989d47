// @vitest-environment jsdom
import { screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { api } from '../api/client'
import { renderAt } from '../testing/render'
import { Budgets } from './budgets'

afterEach(() => vi.restoreAllMocks())

test('budgets that cannot be fetched are not as if none had been exceeded', async () => {
  const error = { title: 'Busy', status: 503, detail: 'Too many at once.' }
  vi.spyOn(api, 'GET').mockResolvedValue({ error, response: Response.json(error, { status: 503 }) })
  renderAt('/tag', <Budgets name="customer" value="c1" from="2026-03-01T00:00:00Z" />)
  expect((await screen.findByRole('alert')).textContent).toContain('Too many at once.')
})
