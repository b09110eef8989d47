import { spend } from './spending'
import { expect, test } from './test'

test('the table is searched, and a model has its history and rules', async ({ page }) => {
  await page.goto('/prices')
  await expect(page).toHaveTitle('Prices · tapedeck')
  await expect(page.getByText('@pydantic/genai-prices')).toBeVisible()
  await page.getByRole('searchbox', { name: 'Search models' }).fill('sonnet-4-5')
  await expect(page).toHaveURL('/prices?model=sonnet-4-5')
  const table = page.getByRole('region', { name: 'Prices of models' })
  const row = table.getByRole('row', { name: /^claude-sonnet-4-5 anthropic/ })
  await expect(row).toContainText('$3.00 +')
  await expect(row.getByTitle('0.3 USD for 1,000,000 cache read tokens')).toBeVisible()
  await row.getByRole('link').click()
  await expect(page.getByRole('heading', { level: 1 })).toContainText('claude-sonnet-4-5')
  await expect(page.getByRole('region', { name: 'History of list prices' })).toContainText('the beginning')
  const batch = page
    .getByRole('region', { name: 'Rules that may hold' })
    .getByRole('row', { name: /^Anthropic batch/ })
  await expect(batch).toContainText('× 0.5')
  await expect(batch.getByRole('link')).toHaveAttribute('href', /^https:\/\/platform\.claude\.com/)
  await page.goBack()
  await expect(page.getByRole('searchbox', { name: 'Search models' })).toHaveValue('sonnet-4-5')
})

test('the points of the prices of a column are below each other, also beside the mark of tiers', async ({
  page,
}) => {
  await page.goto('/prices?model=sonnet')
  const table = page.getByRole('region', { name: 'Prices of models' })
  await expect(table.getByText('+', { exact: true }).first()).toBeVisible()
  // Where the last digit of each input price ends, px.
  const ends = await table.locator('tbody td:nth-child(3) > span[title]').evaluateAll((prices) =>
    prices.map((price) => {
      const range = document.createRange()
      range.selectNodeContents(price.firstChild ?? price)
      return Math.round(range.getBoundingClientRect().right)
    }),
  )
  expect(ends.length).toBeGreaterThan(3)
  expect(new Set(ends).size).toBe(1)
  const prices = await table.locator('tbody td > span[title]').allTextContents()
  expect(new Set(prices.map((price) => /\.(\d+)/.exec(price)?.[1]?.length)).size).toBe(1)
})

test('a phone shows what input and output cost beside each model', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto('/prices?model=sonnet')
  const prices = page.getByRole('region', { name: 'Prices of models' }).locator('tbody tr').first()
  const shown = prices.locator('td > span[title]')
  await expect(shown.nth(0)).toBeInViewport({ ratio: 1 })
  await expect(shown.nth(1)).toBeInViewport({ ratio: 1 })
  await expect(shown.nth(1)).toHaveAttribute('title', /output tokens/)
})

test('a search for what is not there says so, and so does a model that is not there', async ({
  page,
  expectErrors,
}) => {
  expectErrors(/status of 404/)
  await page.goto('/prices?model=no-such-model')
  await expect(page.getByRole('heading', { name: 'No model is called so' })).toBeVisible()
  await page.goto('/prices?provider=anthropic&id=no-such-model')
  await expect(page.getByRole('alert')).toBeVisible()
})

test('models in use without a price are listed with the ids most like them', async ({ page, baseURL }) => {
  await spend(baseURL ?? '', 'misspelt', Date.UTC(2026, 4, 6), [
    { model: 'claude-sonet-4-5', input: 10, output: 1 },
  ])
  await expect(async () => {
    await page.goto('/prices')
    const row = page
      .getByRole('region', { name: 'In use without a price' })
      .getByRole('row', { name: /claude-sonet-4-5/ })
    await expect(row).toContainText('claude-sonnet-4-5', { timeout: 10_000 })
  }).toPass()
})
