import { readFile } from 'node:fs/promises'
import { withoutRange } from './csv'
import { expect, test } from './test'

interface Row {
  model: string | null
  calls: number
  tokens: Record<string, number>
}

test('the figures are those of the API', async ({ page, request }) => {
  await page.goto('/usage?from=now-24h')
  await expect(page).toHaveTitle('Usage · tapedeck')
  const table = page.getByRole('region', { name: 'Usage table' })
  await expect(table.getByRole('row').last()).toContainText('Total')
  const answer = await request.get('/v1/usage?from=now-24h&group_by=model')
  const { items, totals } = (await answer.json()) as { items: Row[]; totals: Row }
  const figures = ({ calls, tokens }: Row) =>
    [
      calls,
      ...['input', 'cache_read', 'cache_write_5m', 'cache_write_1h', 'output', 'reasoning', 'total'].map(
        (bucket) => tokens[bucket] ?? NaN,
      ),
    ].map((n) => n.toLocaleString('en'))
  for (const [i, item] of items.entries()) {
    const cells = await table
      .getByRole('row')
      .nth(i + 1)
      .getByRole('cell')
      .allTextContents()
    expect(cells.slice(0, 9)).toEqual([item.model ?? 'unknown', ...figures(item)])
  }
  const cells = await table.getByRole('row').last().getByRole('cell').allTextContents()
  expect(cells.slice(0, 8)).toEqual(figures(totals))
  await expect(page.getByText('No call has a price').first()).toBeVisible()
})

test('what is asked stands in the address, and CSV gives the same', async ({ page, request }) => {
  await page.goto('/usage?from=now-24h')
  await page.getByLabel('Time zone').selectOption('Asia/Tokyo')
  await page.getByText('by hour', { exact: true }).click()
  await page.getByRole('button', { name: 'Group by: model' }).click()
  await page.getByRole('dialog', { name: 'Group by' }).getByLabel('agent', { exact: true }).check()
  await page.keyboard.press('Escape')
  await expect(page).toHaveURL(
    '/usage?from=now-24h&timezone=Asia%2FTokyo&group_by=model%2Cagent&rows=periods',
  )
  const table = page.getByRole('region', { name: 'Usage table' })
  await expect(table.getByRole('columnheader', { name: 'agent' })).toBeVisible()
  const downloading = page.waitForEvent('download')
  await page.getByRole('link', { name: 'CSV' }).click()
  const text = await readFile(await (await downloading).path(), 'utf8')
  const answer = await request.get(
    '/v1/usage?from=now-24h&timezone=Asia/Tokyo&granularity=hour&group_by=model,agent&format=csv',
  )
  expect(withoutRange(text)).toBe(withoutRange(await answer.text()))
  expect(text).toContain(',Asia/Tokyo\r\n')
  expect((await downloading).suggestedFilename()).toMatch(
    /^usage_\d{4}-\d\d-\d\d(T\d\d-\d\d)?_open_Asia-Tokyo_by-model-agent\.csv$/,
  )
  await page.goBack()
  await expect(page.getByRole('button', { name: 'Group by: model', exact: true })).toBeVisible()
})

test('the address names the time zone, so that a link means the same days to everybody', async ({
  page,
  browser,
}) => {
  await page.goto('/usage?from=2026-09-30T22:00:00Z&to=2026-10-31T23:00:00Z')
  await expect(page).toHaveURL(/[?&]timezone=Europe%2FBerlin/)
  const elsewhere = await browser.newContext({ timezoneId: 'America/New_York' })
  const other = await elsewhere.newPage()
  await other.goto(page.url())
  await expect(other.getByLabel('Time zone')).toHaveValue('Europe/Berlin')
  await elsewhere.close()
})

test('an empty range says so', async ({ page }) => {
  await page.goto('/usage?from=2001-01-01T00:00:00Z&to=2001-01-02T00:00:00Z')
  await expect(page.getByRole('heading', { name: 'No usage in this range' })).toBeVisible()
})
