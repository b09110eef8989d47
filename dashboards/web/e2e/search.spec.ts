import { searchedUntil } from './searching'
import { expect, test } from './test'

test('a search leads from any page to the moment of a hit and back, by keyboard', async ({ page }) => {
  await page.goto('/tools')
  await expect(page.getByRole('heading', { name: 'Tools', level: 1 })).toBeVisible()
  await page.keyboard.press('/')
  await page.keyboard.type('"safe to release"')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL('/search?q=%22safe+to+release%22')
  const hits = page.locator('a[data-hit]')
  await searchedUntil(page, hits.first())
  await expect(hits.first().locator('mark')).toHaveText('safe to release')
  await page.keyboard.press('/')
  await expect(page.getByRole('textbox', { name: 'Search in all that was said' })).toBeFocused()
  await page.keyboard.press('ArrowDown')
  await expect(hits.first()).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/sessions\/[^?]+\?t=/)
  await page.goBack()
  await expect(hits.first()).toBeVisible()
})

test('a search explains that it found nothing', async ({ page }) => {
  await page.goto('/search?q=nobodysaidthis')
  await searchedUntil(page, page.getByText('Nothing was found'))
})
