import { expect, type Locator, type Page } from '@playwright/test'

/**
 * Waits until a page shows something. The server ends a search at its time limit, which a slow machine reaches: the
 * search page offers to go on then, and this follows the offer.
 */
export async function searchedUntil(page: Page, found: Locator): Promise<void> {
  const searchOn = page.getByRole('button', { name: 'Search on' })
  await expect(async () => {
    await expect(found.or(searchOn).first()).toBeVisible()
    if (!(await found.isVisible())) await searchOn.click({ timeout: 5_000 })
    await expect(found).toBeVisible({ timeout: 5_000 })
  }).toPass()
}
