import type { Page } from '@playwright/test'
import { expect, test } from './test'

const detail = (page: Page) => page.getByRole('complementary', { name: 'Tool call bash' })

async function moment(page: Page): Promise<number> {
  return Number(await page.getByTestId('moment').getAttribute('data-ms'))
}

/** A moment as the address has it: seconds, to the nanosecond. */
const text = (ms: number) => String(Math.round(ms * 1e6) / 1e9)

test('view, selected span and moment are in the address, and Back and Forward go between them', async ({
  page,
}) => {
  await page.goto('/sessions/demo')
  const bar = page
    .getByRole('treegrid', { name: 'Spans' })
    .getByRole('row')
    .nth(4)
    .locator('[data-kind="tool"]')
  await bar.last().click()
  await expect(detail(page)).toBeVisible()
  const seeked = await moment(page)
  await expect.poll(() => new URL(page.url()).searchParams.get('t')).toBe(text(seeked))
  expect(new URL(page.url()).searchParams.get('span')).toMatch(/^tool:/)

  // A reload shows the same, and so does the link elsewhere.
  await page.reload()
  await expect(detail(page)).toBeVisible()
  expect(text(await moment(page))).toBe(text(seeked))

  await page.getByRole('tab', { name: 'Frames' }).click()
  await expect(page).toHaveURL(/tab=frames/)
  await page.keyboard.press('3')
  const third = await moment(page)
  expect(third).not.toBe(seeked)
  await expect.poll(() => new URL(page.url()).searchParams.get('t')).toBe(text(third))

  await page.goBack()
  await expect(detail(page)).toBeVisible()
  await expect.poll(async () => text(await moment(page))).toBe(text(seeked))
  await page.goForward()
  await expect(page.getByRole('tab', { name: 'Frames' })).toHaveAttribute('aria-selected', 'true')
  await expect.poll(async () => text(await moment(page))).toBe(text(third))
  await page.goBack()
  await page.goBack()
  await expect(detail(page)).toHaveCount(0)
  await expect(page.getByRole('treegrid', { name: 'Spans' })).toBeVisible()
  await expect(page).toHaveURL(/\/sessions\/demo$/)
})

test('while it plays the address stays, and a pause writes the moment', async ({ page }) => {
  await page.goto('/sessions/demo?t=1')
  const player = page.getByRole('region', { name: 'Player' })
  await expect(player).toBeVisible()
  // It plays slowly, so that the end does not come before the pause.
  for (let i = 0; i < 3; i++) await page.keyboard.press('<')
  await expect(player.getByRole('button', { name: 'Speed: 0.1×' })).toBeVisible()
  await page.keyboard.press('k')
  await expect.poll(() => moment(page)).toBeGreaterThan(1050)
  expect(new URL(page.url()).searchParams.get('t')).toBe('1')
  await page.keyboard.press('k')
  await expect(page.getByRole('button', { name: 'Play', exact: true })).toBeVisible()
  await expect
    .poll(async () => new URL(page.url()).searchParams.get('t') === text(await moment(page)))
    .toBe(true)
})
