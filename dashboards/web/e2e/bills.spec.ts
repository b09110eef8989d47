import { startServer, type Server } from './server'
import { spend } from './spending'
import { expect, test } from './test'

let server: Server

// A bill never changes: these tests have a server of their own.
test.beforeAll(async () => {
  test.setTimeout(180_000)
  server = await startServer()
})
test.afterAll(() => server.stop())

/** A month that is over, as the API and the pages name it. */
const month = new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() - 2, 15, 12))
const period = month.toISOString().slice(0, 7)
const name = `${month.toLocaleString('en', { month: 'short', timeZone: 'UTC' })} ${period.slice(0, 4)}`

test('without usage there is nothing to bill', async ({ page }) => {
  await page.goto(`${server.url}/bills`)
  await expect(page.getByRole('heading', { name: 'Nothing to bill yet' })).toBeVisible()
})

test('a period is previewed, closed after a confirmation, and verified', async ({ page }) => {
  // Prices of a million tokens: 3 and 15 dollars.
  const call = { model: 'claude-sonnet-4-5', input: 10_000, output: 1000 }
  await spend(server.url, 'billed', month.getTime(), [call])
  await page.goto(`${server.url}/bills`)
  const row = page.getByRole('region', { name: 'Periods of accounts' }).getByRole('row', { name })
  await expect(row).toContainText('draft')
  await expect(row).toContainText('$0.05')
  await row.getByRole('link', { name }).click()
  const lines = page.getByRole('region', { name: 'Lines' })
  await expect(lines.getByRole('row', { name: /input tokens/ })).toContainText('$0.03')
  await expect(lines.getByRole('row', { name: /output tokens/ })).toContainText('$0.02')
  const close = page.getByRole('button', { name: 'Close the period' })
  await close.click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('A closed bill never changes')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(dialog).toHaveCount(0)
  await close.click()
  await dialog.getByRole('button', { name: 'Close the period' }).click()
  await expect(page).toHaveURL(/\/bills\?number=/)
  await expect(page.getByRole('heading', { level: 1 })).toContainText('closed')

  await page.getByRole('button', { name: 'Verify' }).click()
  await expect(page.getByRole('status').filter({ hasText: 'computed anew they are the same' })).toBeVisible()
  await spend(server.url, 'late', month.getTime() + 60_000, [call])
  await expect
    .poll(
      async () => {
        await page.getByRole('button', { name: 'Verify' }).click()
        return page.getByRole('region', { name: 'Differences' }).count()
      },
      { intervals: [2000] },
    )
    .toBe(1)
  await expect(page.getByRole('region', { name: 'Differences' })).toContainText(
    'arrived after the bill was closed',
  )

  for (const [file, head] of [
    ['Rows as CSV', 'ordinal'],
    ['FOCUS 1.4', 'PK'],
    ['FOCUS 1.2', 'PK'],
    ['Evidence', 'PK'],
  ] as const) {
    const href = (await page.getByRole('link', { name: file }).getAttribute('href')) ?? ''
    const answer = await page.request.get(server.url + href)
    expect(answer.status(), file).toBe(200)
    expect((await answer.body()).toString('latin1').slice(0, 40), file).toContain(head)
  }
})

test('a bill that is not there is an error', async ({ page, expectErrors }) => {
  expectErrors(/status of 404/)
  await page.goto(`${server.url}/bills?number=NONE-000001`)
  await expect(page.getByRole('alert')).toBeVisible()
})
