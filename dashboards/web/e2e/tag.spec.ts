import { spend } from './spending'
import { startServer, type Server } from './server'
import { expect, test } from './test'

let server: Server
test.beforeAll(async () => {
  server = await startServer([])
})
test.afterAll(() => server.stop())

test('a value of a tag has a page with its sessions, cost and errors', async ({ page }) => {
  const call = { model: 'claude-sonnet-4-5', input: 100_000, output: 1000 }
  const now = Date.now() - 60_000
  await spend(server.url, 'acme-dear', now, [call, call], ['customer=acme', 'team=a:b'])
  await spend(server.url, 'acme-cheap', now, [{ ...call, input: 10 }], ['customer=acme'])
  await spend(server.url, 'globex-1', now, [call], ['customer=globex'])
  await page.goto(`${server.url}/usage?group_by=tag:customer`)
  await page
    .getByRole('region', { name: 'Usage table' })
    .getByRole('link', { name: 'acme', exact: true })
    .click()
  await expect(page).toHaveURL(/\/tag\?tag=customer%3Aacme$/)
  await expect(page.getByRole('heading', { level: 1, name: 'customer: acme' })).toBeVisible()
  const fact = (name: string) =>
    page.locator('dl > div').filter({ has: page.getByText(name, { exact: true }) })
  await expect(fact('Sessions')).toContainText('2')
  await expect(fact('Failed')).toContainText('0 % of the sessions')
  // Two calls of 100,000 × 3 + 1,000 × 15 millionths of a dollar, and one of 10 × 3 + 1,000 × 15.
  await expect(fact('Cost')).toContainText('$0.6450')
  await expect(fact('Tokens')).toContainText('3 calls')
  await expect(page.getByRole('heading', { name: 'Cost by day' })).toBeVisible()
  const latest = page.getByRole('region', { name: 'Latest sessions' })
  await expect(latest.getByRole('link')).toHaveCount(2)
  await page.getByRole('radiogroup', { name: 'Range' }).getByText('7 days').click()
  await expect(page).toHaveURL(/from=now-7d/)
  await fact('Sessions').getByRole('link').click()
  await expect(page.getByRole('status', { name: 'All that fit' })).toHaveText(/^2 sessions/)
  // A value may have a colon.
  await page.goto(`${server.url}/tag?tag=team%3Aa%3Ab`)
  await expect(fact('Sessions')).toContainText('1')
  await page.goto(`${server.url}/tag?tag=customer:nobody`)
  await expect(page.getByText('No session in this range')).toBeVisible()
})
