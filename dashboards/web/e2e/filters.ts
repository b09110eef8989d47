import type { Locator, Page } from '@playwright/test'

/** The bar of filters of a page. */
export const filters = (page: Page) => page.getByRole('group', { name: 'Filters' })

/** Picks a filter in the menu of all, and returns its panel. */
export async function pickFilter(page: Page, name: string): Promise<Locator> {
  await filters(page).getByRole('button', { name: 'Filter', exact: true }).click()
  await page.getByRole('option', { name, exact: true }).click()
  return page.getByRole('dialog', { name })
}
