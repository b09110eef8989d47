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
  await expect(figures).toContainText('not known')
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
