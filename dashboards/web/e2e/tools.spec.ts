import { readFile } from 'node:fs/promises'
import { withoutRange } from './csv'
import { expect, test } from './test'

interface Slow {
  session_id: string
  position: string
}

test('the figures are those of the API, and the slowest call leads to its moment', async ({
  page,
  request,
}) => {
  await page.goto('/tools?from=now-24h')
  await expect(page).toHaveTitle('Tools · tapedeck')
  const answer = await request.get('/v1/tools?from=now-24h&slowest=20')
  const { items, slowest } = (await answer.json()) as {
    items: { tool: string; calls: number; errors: number; p95_ms: number | null }[]
    slowest: Slow[]
  }
  const table = page.getByRole('region', { name: 'Tools table' })
  // The slowest tool is on top.
  // The slowest is on top; tools whose times are equal, or not known, have no order.
  const slow = items.toSorted((a, b) => (b.p95_ms ?? 0) - (a.p95_ms ?? 0))
  await expect(table.getByRole('row').nth(1)).toContainText(slow[0]?.tool ?? '')
  for (const { tool, calls, errors } of items)
    await expect(table.getByRole('row').filter({ hasText: `${tool}${calls}${errors}` })).not.toHaveCount(0)
  const [first] = slowest
  expect(first).toBeDefined()
  await page.getByRole('region', { name: 'Slowest calls' }).getByRole('link').first().click()
  await expect(page).toHaveURL(
    new RegExp(`/sessions/${first?.session_id ?? ''}\\?t=${(first?.position ?? '').replaceAll('.', '\\.')}`),
  )
})

test('CSV is that of the API', async ({ page, request }) => {
  await page.goto('/tools?from=now-24h&group_by=tool,session')
  await expect(page.getByRole('columnheader', { name: 'session' }).first()).toBeVisible()
  const downloading = page.waitForEvent('download')
  await page.getByRole('link', { name: 'CSV' }).click()
  const text = await readFile(await (await downloading).path(), 'utf8')
  const answer = await request.get(
    '/v1/tools?from=now-24h&timezone=Europe/Berlin&group_by=tool,session&format=csv',
  )
  expect(withoutRange(text)).toBe(withoutRange(await answer.text()))
})

test('without groups there is one row', async ({ page }) => {
  await page.goto('/tools?from=now-24h&group_by=')
  await expect(page.getByRole('cell', { name: 'everything' })).toBeVisible()
})
