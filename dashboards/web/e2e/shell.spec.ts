import type { Page } from '@playwright/test'
import { record } from './recording'
import { expect, test } from './test'

const pages = (page: Page) => page.getByRole('navigation', { name: 'Pages' })

test('every page can be reached, and the colours switched', async ({ page }) => {
  await page.goto('/')
  for (const [group, names] of [
    [null, ['Record', 'Sessions']],
    ['Analytics', ['Usage', 'Tools', 'Model calls']],
    ['Billing', ['Bills', 'Prices', 'Reconciliation']],
    ['Settings', ['Retention', 'Audit log']],
  ] as const)
    for (const name of names) {
      const button = pages(page).getByRole('button', { name: group ?? '' })
      if (group !== null) await button.click()
      await pages(page).getByRole('link', { name, exact: true }).click()
      await expect(page.getByRole('heading', { level: 1, name })).toBeVisible()
      if (group !== null) {
        await expect(button).toHaveAttribute('aria-expanded', 'false')
        await expect(button).toHaveAttribute('data-current', 'true')
        await button.click()
      }
      await expect(pages(page).locator('[aria-current]')).toHaveText([name])
      await page.keyboard.press('Escape')
    }
  await page.getByRole('button', { name: 'Switch to dark' }).click()
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark')
})

test('the groups of pages unfold by keyboard, and fold when the focus leaves them', async ({ page }) => {
  await page.goto('/')
  const button = pages(page).getByRole('button', { name: 'Analytics' })
  await button.press('ArrowDown')
  await expect(pages(page).getByRole('link', { name: 'Usage' })).toBeFocused()
  await page.keyboard.press('ArrowDown')
  await expect(pages(page).getByRole('link', { name: 'Tools' })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(button).toBeFocused()
  await expect(button).toHaveAttribute('aria-expanded', 'false')
  await button.press('Enter')
  for (let i = 0; i < 4; i++) await page.keyboard.press('Tab') // its three links, and the next group
  await expect(pages(page).getByRole('button', { name: 'Billing' })).toBeFocused()
  await expect(button).toHaveAttribute('aria-expanded', 'false')
  await button.click()
  await page.mouse.click(600, 500)
  await expect(button).toHaveAttribute('aria-expanded', 'false')
})

test('on a phone a sheet has all pages', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto('/')
  const menu = page.getByRole('button', { name: 'Menu' })
  const sheet = page.getByRole('dialog', { name: 'Pages' })
  await menu.click()
  await expect(sheet.getByRole('link')).toHaveText([
    'Sessions',
    'Record',
    'Usage',
    'Tools',
    'Model calls',
    'Bills',
    'Prices',
    'Reconciliation',
    'Retention',
    'Audit log',
  ])
  await page.keyboard.press('Escape')
  await expect(sheet).toBeHidden()
  await expect(menu).toBeFocused()
  await menu.click()
  await sheet.getByRole('link', { name: 'Prices' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Prices' })).toBeVisible()
  await expect(sheet).toBeHidden()
})

test('the key / leads to the search in all texts, on every page', async ({ page }) => {
  for (const path of ['/', '/prices']) {
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await page.locator('body').press('/')
    await expect(page.getByRole('textbox', { name: 'Search in all that was said' })).toBeFocused()
    await expect(page.locator('kbd', { hasText: '/' })).toHaveCount(1) // shown once
  }
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto('/')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await page.locator('body').press('/')
  await expect(page).toHaveURL('/search')
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
  await pages(page).getByRole('button', { name: 'Analytics' }).click()
  await pages(page).getByRole('link', { name: 'Usage' }).click()
  await expect(page.getByRole('alert')).toContainText('This page could not be shown')
  await pages(page).getByRole('link', { name: 'Sessions' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Sessions' })).toBeVisible()
  await page.unroute('**/assets/*.js')
  await page.goto('/usage')
  await expect(page.getByRole('heading', { level: 1, name: 'Usage' })).toBeVisible()
})
