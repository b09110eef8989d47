import { record } from './recording'
import { expect, test } from './test'

test('every page can be reached, and the colours switched', async ({ page }) => {
  await page.goto('/')
  for (const name of ['Usage', 'Tools', 'Record', 'Sessions']) {
    await page.getByRole('navigation').getByRole('link', { name }).click()
    await expect(page.getByRole('heading', { level: 1, name })).toBeVisible()
    await expect(page.getByRole('link', { name, exact: true })).toHaveAttribute('aria-current', 'page')
  }
  await page.getByRole('button', { name: 'Switch to dark' }).click()
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark')
})

test('a session of any name is found by its address', async ({ page, request }) => {
  const id = `100% a/b c%20d ü?x=1&y#h ${Date.now()}`
  await record(request, id, [{ type: 'tick' }])
  await page.goto(`/sessions/${encodeURIComponent(id)}`)
  await expect(page.getByRole('heading', { level: 1, name: id })).toBeVisible()
})

test('a page whose code does not come says so, and the others are there', async ({ page, expectErrors }) => {
  expectErrors(/net::ERR_FAILED|dynamically imported module/)
  await page.goto('/')
  await page.route('**/assets/*.js', (route) => route.abort())
  await page.getByRole('navigation').getByRole('link', { name: 'Usage' }).click()
  await expect(page.getByRole('alert')).toContainText('This page could not be shown')
  await page.getByRole('navigation').getByRole('link', { name: 'Sessions' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Sessions' })).toBeVisible()
  await page.unroute('**/assets/*.js')
  await page.goto('/usage')
  await expect(page.getByRole('heading', { level: 1, name: 'Usage' })).toBeVisible()
})
