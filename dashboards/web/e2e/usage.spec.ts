import { readFile } from 'node:fs/promises'
import { withoutRange } from './csv'
import { spend } from './spending'
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
  for (const item of items) {
    const model = item.model ?? 'unknown'
    const row = table.getByRole('row').filter({ has: page.getByRole('cell', { name: model, exact: true }) })
    const cells = await row.getByRole('cell').allTextContents()
    expect(cells.slice(0, 9)).toEqual([model, ...figures(item)])
  }
  const cells = await table.getByRole('row').last().getByRole('cell').allTextContents()
  expect(cells.slice(0, 8)).toEqual(figures(totals))
  await expect(page.getByText('Cost at the prices of the time')).toBeVisible()
})

test('what is asked stands in the address, and CSV has the same', async ({ page, request }) => {
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

test('the cost is stacked by group, priced anew, and what has none is listed', async ({ page, baseURL }) => {
  const at = Date.UTC(2026, 4, 7, 10)
  // Prices of a million tokens: 3 and 15 dollars, and 1 and 5.
  await spend(baseURL ?? '', 'usage-cost', at, [
    { model: 'claude-sonnet-4-5', input: 10_000, output: 1000 },
    { model: 'claude-next-preview', input: 10_000, output: 1000 },
  ])
  await page.goto('/usage?from=2026-05-07T00:00:00Z&to=2026-05-08T00:00:00Z&timezone=UTC&granularity=15m')
  const table = page.getByRole('region', { name: 'Usage table' })
  await expect(table.getByRole('row', { name: /^claude-sonnet-4-5/ })).toContainText('$0.0450')
  await expect(page.getByRole('heading', { name: 'Cost by 15 minutes' })).toBeVisible()
  await expect(page.getByRole('img', { name: /^Cost by 15m/ })).toBeVisible()
  const unpriced = page.getByRole('region', { name: 'Without a cost' })
  await expect(unpriced.getByRole('row', { name: /^claude-next-preview/ })).toContainText('unknown model')
  await page.getByRole('button', { name: 'Re-price' }).click()
  const dialog = page.getByRole('dialog', { name: 'Re-price' })
  await dialog.getByLabel('At the prices of').fill('2026-05-01')
  await dialog.getByLabel('As calls of the model').fill('claude-haiku-4-5')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/as_of=2026-05-01&what_if_model=claude-haiku-4-5$/)
  // 10,000 and 1,000 tokens of both calls: 0.015 each.
  await expect(table.getByRole('row').last()).toContainText('> $0.0450')
  await expect(table.getByRole('row').last()).toContainText('$0.0300')
  await page.getByRole('button', { name: 'Export' }).click()
  for (const [name, start] of [
    ['Table as NDJSON', '{'],
    ['Table as Parquet', 'PAR1'],
    ['Calls as CSV', 'charge_id'],
    ['Calls as NDJSON', '{'],
    ['Calls as Parquet', 'PAR1'],
  ] as const) {
    const href = (await page.getByRole('link', { name }).getAttribute('href')) ?? ''
    const answer = await page.request.get(href)
    expect(answer.status(), name).toBe(200)
    expect((await answer.body()).toString('latin1').slice(0, 60), name).toContain(start)
  }
})

test(
  'findings are a column of the table and of the session list',
  { tag: '@long' },
  async ({ page, request }) => {
    // The record states a total of 20 tokens, and its buckets add up to 15.
    const answer = {
      id: 'chatcmpl-of-findings-0001',
      object: 'chat.completion',
      model: 'gpt-of-findings',
      choices: [{ index: 0, message: { role: 'assistant', content: 'x' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 20 },
    }
    await request.post('/v1/ingest?session=of-findings&dialect=openai-chat', {
      headers: { 'Content-Type': 'application/x-ndjson' },
      data: `${JSON.stringify(answer)}\n`,
    })
    await page.goto('/usage?from=now-1h')
    const table = page.getByRole('region', { name: 'Usage table' })
    const row = table.getByRole('row', { name: /^gpt-of-findings/ })
    await expect(async () => {
      await page.reload()
      await expect(row).toHaveCount(1, { timeout: 5000 })
    }).toPass()
    await expect(table.getByRole('columnheader', { name: 'findings' })).toHaveCount(0)
    await page.getByRole('button', { name: 'Findings' }).click()
    await expect(page).toHaveURL(/findings=1/)
    await expect(table.getByRole('columnheader', { name: 'findings' })).toBeVisible()
    await expect(row.getByTitle('record total: 1 in 1 session')).toHaveText('1')

    await page.goto('/?q=of-findings')
    const session = page.getByRole('row', { name: /of-findings/ })
    await expect(session).toBeVisible()
    await expect(page.getByRole('columnheader', { name: 'Findings' })).toHaveCount(0)
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByLabel('Findings').check()
    await page.keyboard.press('Escape')
    await expect(page.getByRole('columnheader', { name: 'Findings' })).toBeVisible()
    await expect(
      session.getByTitle('1 usage record states a total that is not the sum of its parts.'),
    ).toBeVisible()
  },
)

test(
  'usage without a price and usage of an unknown name lead to their sessions',
  { tag: '@long' },
  async ({ page, baseURL }) => {
    const at = Date.UTC(2026, 4, 9, 10)
    await spend(baseURL ?? '', 'priced-only', at, [{ model: 'claude-sonnet-4-5', input: 10, output: 1 }])
    await spend(baseURL ?? '', 'without-price', at, [
      { model: 'claude-next-preview', input: 10, output: 1 },
      { model: 'claude-sonnet-4-5', input: 10, output: 1 },
    ])
    const range = 'from=2026-05-09T00:00:00Z&to=2026-05-10T00:00:00Z&timezone=UTC'
    const sessions = page.locator('main a[href^="/sessions/"]')
    const table = page.getByRole('region', { name: 'Usage table' })
    await page.goto(`/usage?${range}`)
    await table
      .getByRole('row', { name: /^claude-next-preview/ })
      .getByRole('link', { name: 'no price' })
      .click()
    await expect(page).toHaveURL(/model=claude-next-preview&unpriced=1&sort=-cost$/)
    await expect(sessions).toHaveCount(1)
    await expect(sessions).toHaveAttribute('href', '/sessions/without-price')
    await expect(page.getByRole('button', { name: 'Price: none' })).toBeVisible()

    await page.goto(`/usage?${range}`)
    await page
      .getByRole('region', { name: 'Without a cost' })
      .getByRole('link', { name: 'Sessions with calls of claude-next-preview without a price' })
      .click()
    await expect(sessions).toHaveCount(1)
    // Claude Code's files name no node.
    await page.goto(`/usage?${range}&group_by=node`)
    await table
      .getByRole('row', { name: /^unknown/ })
      .getByRole('link')
      .first()
      .click()
    await expect(page).toHaveURL(/node=&sort=-cost$/)
    await expect(page.getByRole('button', { name: 'Node: unknown' })).toBeVisible()
    await expect(sessions).toHaveCount(2)
  },
)
