import { spend } from './spending'
import { expect, test } from './test'

test("a session's totals are the API's, and say what is missing", async ({ page, request }) => {
  const session = (await (await request.get('/v1/sessions/demo')).json()) as {
    totals: { tokens: { total: number; cache_read: number } }
    discrepancies: { detail: string }[]
  }
  await page.goto('/sessions/demo')
  await page.getByRole('tab', { name: 'Totals' }).click()
  const { tokens } = session.totals
  const figures = page.getByRole('region', { name: 'Tokens and cost' })
  await expect(figures).toContainText(tokens.total.toLocaleString('en'))
  await expect(figures).toContainText(tokens.cache_read.toLocaleString('en'))
  // 940 input, 5,504 cache read and 345 output tokens at 3, 0.30 and 15 dollars a million.
  await expect(figures).toContainText('$0.0096')
  for (const { detail } of session.discrepancies) await expect(page.getByText(detail)).toBeVisible()
  const calls = page.getByRole('region', { name: 'Model calls' })
  await expect(calls.getByRole('row')).toHaveCount(4)
  await expect(page.getByRole('region', { name: 'Tools' }).getByRole('row', { name: /^read/ })).toContainText(
    '1',
  )
})

test('a call in the totals leads to its moment', async ({ page }) => {
  await page.goto('/sessions/demo')
  await page.getByRole('tab', { name: 'Totals' }).click()
  await page
    .getByRole('region', { name: 'Model calls' })
    .getByRole('button', { name: /^Go to/ })
    .first()
    .click()
  const conversation = page.getByRole('log', { name: 'Conversation' })
  await expect(conversation).toContainText('is it safe to release?')
  await expect(conversation.getByRole('article')).toHaveCount(1)
})

test('the cost is there by call and by bucket, and grows with the moment', async ({ page, baseURL }) => {
  // Prices of a million tokens: 3, 0.30 and 15 dollars; 1 and 5. One call each five seconds, from 2.5 s on.
  await spend(baseURL ?? '', 'spent', Date.UTC(2026, 4, 5, 10), [
    { model: 'claude-sonnet-4-5', input: 10_000, cacheRead: 50_000, output: 1000 },
    { model: 'claude-next-preview', input: 10_000, output: 1000 },
    { model: 'claude-haiku-4-5', input: 20_000, output: 2000 },
  ])
  await page.goto('/sessions/spent?t=8')
  await page.getByRole('tab', { name: 'Totals' }).click()
  const facts = page.locator('dl[aria-label="Facts"]')
  await expect(facts).toContainText('$0.0600 of > $0.0900')
  const growth = page.getByRole('region', { name: 'Cost over time' })
  await expect(growth).toContainText('$0.0600 until 0:08 of $0.0900')
  const buckets = page.getByRole('region', { name: 'Cost by bucket' })
  await expect(buckets.getByRole('row', { name: /^Input/ })).toHaveText('Input30,000$0.050056 %')
  await expect(buckets.getByRole('row', { name: /^Cache read/ })).toHaveText('Cache read50,000$0.015017 %')
  await expect(buckets.getByRole('row', { name: /^Output/ })).toHaveText('Output3,000$0.025028 %')
  const calls = page.getByRole('region', { name: 'Model calls' })
  await expect(calls.getByTitle('0.06 USD')).toBeVisible()
  await expect(calls.getByTitle('0.03 USD')).toBeVisible()
  await expect(calls.getByText('no price')).toHaveAttribute(
    'title',
    'The provider has no model of this name in the price table.',
  )
  await expect(page.getByRole('list', { name: 'Without a cost' })).toContainText(
    '1 call of claude-next-preview without a cost',
  )
  const curve = growth.getByRole('img')
  const { width } = (await curve.boundingBox()) ?? { width: 0 }
  await curve.click({ position: { x: width - 1, y: 20 } })
  await expect(growth).toContainText('$0.0900 until')
  await expect(facts).toContainText('Cost> $0.0900')
})
