import type { APIRequestContext } from '@playwright/test'
import { expect, test } from './test'

const model = 'claude-e2e-20260101'

/** Records a call of a model that is cut off after its start, which states 9 tokens of input and 1 of output. */
async function recordCutOff(request: APIRequestContext, session: string): Promise<void> {
  const lines = [
    {
      type: 'message_start',
      message: {
        id: `msg_${session}`,
        type: 'message',
        role: 'assistant',
        model,
        content: [],
        stop_reason: null,
        usage: { input_tokens: 9, output_tokens: 1 },
      },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
  ]
  const answer = await request.post(`/v1/ingest?session=${session}`, {
    headers: { 'Content-Type': 'application/x-ndjson' },
    data: lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
  })
  expect(answer.status()).toBe(200)
  await expect
    .poll(async () => {
      const found = await request.get(`/v1/usage/reconciliation?finding=any&q=${session}`)
      return ((await found.json()) as { items: unknown[] }).items.length
    })
    .toBe(1)
}

test(
  'the usage page leads to the differences of sessions, which are those of the API',
  { tag: '@long' },
  async ({ page, request }) => {
    await recordCutOff(request, 'cut-off-e2e')
    await page.goto('/usage?from=now-24h')
    await page.getByRole('link', { name: 'Reconciliation' }).click()
    await expect(page).toHaveTitle('Reconciliation · tapedeck')
    await expect(page).toHaveURL('/usage/reconciliation')
    await page.getByLabel('Search sessions').fill('cut-off-e2e')
    const table = page.getByRole('region', { name: 'Differences' })
    await expect(table.getByRole('row')).toHaveCount(2)
    const row = table.getByRole('row').last()
    await expect(row).toContainText('cut off with usage')
    await expect(row).toContainText('its usage may be what its start states')
    await expect(page).toHaveURL('/usage/reconciliation?q=cut-off-e2e')

    const filters = page.getByRole('group', { name: 'Filters' })
    await filters.getByRole('button', { name: 'Finding', exact: true }).click()
    const findings = page.getByRole('dialog', { name: 'Finding' })
    await findings.getByLabel('lost_frames', { exact: true }).check()
    await page.keyboard.press('Escape')
    await expect(page.getByRole('heading', { name: 'Nothing found' })).toBeVisible()
    await page.goBack()
    await row.getByRole('link', { name: 'cut-off-e2e' }).click()
    await expect(page).toHaveURL('/sessions/cut-off-e2e')
  },
)

const head =
  'usage_date_utc,model_version,usage_input_tokens_no_cache,usage_input_tokens_cache_write_5m,usage_input_tokens_cache_write_1h,usage_input_tokens_cache_read,usage_output_tokens\n'

test(
  'an export is compared figure by figure, and one that is not valid is refused with its field',
  { tag: '@long' },
  async ({ page, request, expectErrors }) => {
    expectErrors(/status of 400/)
    await recordCutOff(request, 'export-e2e')
    const usage = await request.get('/v1/usage?from=now-24h&granularity=day&group_by=model')
    const rows = (
      (await usage.json()) as { items: { period: string; model: string; tokens: { input: number } }[] }
    ).items
    const recorded = rows.find((row) => row.model === model)
    expect(recorded).toBeDefined()
    const { period, tokens } = recorded ?? { period: '', tokens: { input: 0 } }
    await page.goto('/usage/reconciliation')
    const send = (text: string) =>
      page
        .getByLabel('Export to compare')
        .setInputFiles({ name: 'console.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })
    await send(`${head}${period},${model},${tokens.input},0,0,0,70000\n`)
    const figures = page.getByRole('region', { name: 'Figures of the export' })
    await expect(figures.getByRole('row').filter({ hasText: model })).toContainText('70,000')
    await expect(figures.getByRole('row').filter({ hasText: model })).toHaveCount(1)
    await page.getByLabel('List equal figures, too').check()
    const equal = figures.getByRole('row').filter({ hasText: model }).filter({ hasText: 'input' })
    await expect(equal).toContainText('equal')

    await send(head.replace(',usage_output_tokens', ''))
    await expect(page.getByRole('alert')).toContainText('usage_output_tokens')
  },
)
