import type { Page } from '@playwright/test'
import { Recorder } from './recorder'
import { expect, test } from './test'

const player = (page: Page) => page.getByRole('region', { name: 'Player' })
const conversation = (page: Page) => page.getByRole('region', { name: 'Conversation' })

async function moment(page: Page): Promise<number> {
  return Number(await page.getByTestId('moment').getAttribute('data-ms'))
}

test('a running session is watched, paused, rewound and watched again until it ends', async ({
  page,
  baseURL,
}, info) => {
  const session = `live-${info.repeatEachIndex}-${info.retry}-${Date.now()}`
  const recorder = new Recorder(baseURL ?? '', session)
  recorder.say('one')
  await expect.poll(async () => (await page.request.get(`/v1/sessions/${session}`)).status()).toBe(200)
  await page.goto(`/sessions/${session}`)
  await expect(player(page).getByText('Live', { exact: true })).toBeVisible()
  await expect(conversation(page)).toContainText('one')

  // What arrives is shown as it does.
  recorder.say('two')
  await expect(conversation(page)).toContainText('two')
  recorder.say('three')
  await expect(conversation(page)).toContainText('three')

  // Paused, the moment stands, whatever arrives.
  await player(page).getByRole('button', { name: 'Pause' }).click()
  await expect(player(page).getByRole('button', { name: 'Back to live' })).toBeVisible()
  const paused = await moment(page)
  recorder.say('four')
  const length = player(page).getByRole('slider', { name: 'Moment' })
  await expect.poll(async () => Number(await length.getAttribute('aria-valuemax'))).toBeGreaterThan(paused)
  await expect(conversation(page)).not.toContainText('four')

  // Rewound to before anything was said, and played from there.
  await page.keyboard.press('Home')
  await expect(conversation(page)).not.toContainText('three')
  await page.keyboard.press('k')
  await expect(player(page).getByRole('button', { name: 'Pause' })).toBeVisible()
  await expect.poll(() => moment(page)).toBeGreaterThan(0)

  // Live again, with all that came meanwhile.
  await player(page).getByRole('button', { name: 'Back to live' }).click()
  await expect(player(page).getByText('Live', { exact: true })).toBeVisible()
  await expect(conversation(page)).toContainText('four')
  recorder.say('five')
  await expect(conversation(page)).toContainText('five')

  // Its end ends it.
  await recorder.end()
  await expect(player(page).getByText('Live', { exact: true })).toBeHidden()
  await expect(player(page).getByRole('button', { name: 'Play' })).toBeVisible()
  await expect(conversation(page)).toContainText('five')
  await expect(
    page.getByRole('banner').or(page.locator('header')).getByText('OK', { exact: true }),
  ).toBeVisible()
})
