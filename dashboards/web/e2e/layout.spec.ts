import type { Locator, Page } from '@playwright/test'
import { record } from './recording'
import { expect, test } from './test'

const heightOf = async (part: Locator) => (await part.boundingBox())?.height ?? 0

/** How much of the page's height the view of a session has. */
async function share(page: Page): Promise<number> {
  return (await heightOf(page.getByRole('tabpanel'))) / (page.viewportSize()?.height ?? 0)
}

test('at 200 % zoom the header of a session and the player are a line each', async ({ page }) => {
  await page.setViewportSize({ width: 720, height: 450 }) // what 1440x900 has at 200 %
  await page.goto('/sessions/demo')
  await expect(page.getByRole('log', { name: 'Conversation' })).toContainText('It is safe to release.')
  expect(await share(page)).toBeGreaterThanOrEqual(0.6)
  expect(await heightOf(page.getByRole('region', { name: 'Player' }))).toBeLessThan(56)
  await page.getByRole('button', { name: 'More about this session' }).click()
  await expect(page.getByText('Lasted')).toBeVisible()
  await page.getByRole('button', { name: 'Less about this session' }).click()
  await expect(page.getByText('Lasted')).toBeHidden()
})

test('a phone shows all views of a session longer than an hour, and the player in a line', async ({
  page,
  request,
}) => {
  await page.setViewportSize({ width: 390, height: 844 })
  const at = (minutes: number) => ({ timestamp: Date.UTC(2026, 0, 2) + minutes * 60_000 })
  const run = { threadId: 't', runId: 'r' }
  const id = 'longer-than-an-hour'
  await record(
    request,
    id,
    [
      { type: 'RUN_STARTED', ...run, ...at(0) },
      { type: 'TOOL_CALL_START', toolCallId: 'c', toolCallName: 'bash', ...at(1) },
      { type: 'TOOL_CALL_RESULT', toolCallId: 'c', messageId: 'm', content: 'ok', ...at(70) },
      { type: 'RUN_FINISHED', ...run, ...at(80) },
    ],
    [],
    'frame',
  )
  await page.goto(`/sessions/${id}`)
  await expect(page.getByTestId('moment')).toHaveText('1:20:00.000')
  await expect(page.getByRole('tab', { name: 'Notes' })).toBeInViewport({ ratio: 1 })
  const middle = async (name: string) => {
    const box = await page.getByRole('button', { name, exact: true }).boundingBox()
    return Math.round((box?.y ?? 0) + (box?.height ?? 0) / 2)
  }
  expect(Math.abs((await middle('Keys')) - (await middle('Play')))).toBeLessThanOrEqual(1)
})

test('a phone shows the text of the first difference whole', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto('/compare?a=demo-release&b=demo-release-failed')
  const texts = page.getByRole('region', { name: 'First input that differs' }).locator('code')
  await expect(texts).toHaveCount(2)
  expect(await texts.evaluateAll((all) => all.map((it) => it.scrollHeight - it.clientHeight))).toEqual([0, 0])
})

test(
  'the header of a session folds while its content is read, until its top',
  { tag: '@long' },
  async ({ page }) => {
    await page.setViewportSize({ width: 1280, height: 720 })
    await page.goto('/sessions/demo')
    const conversation = page.getByRole('region', { name: 'Conversation' })
    await expect(conversation).toContainText('It is safe to release.')
    await expect(page.getByText('Lasted')).toBeVisible()
    const scrolled = () =>
      conversation.evaluate((it) => Math.max(...[...it.querySelectorAll('*')].map((e) => e.scrollTop)))
    await expect.poll(scrolled).toBeGreaterThan(100) // to the end; before, the wheel has nothing to scroll
    await conversation.hover()
    await page.mouse.wheel(0, -30)
    await expect(page.getByText('Lasted')).toBeHidden()
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await page.mouse.wheel(0, -20_000)
    await expect(page.getByText('Lasted')).toBeVisible()
  },
)

test(
  'the panes of a session are resized by mouse and keyboard, and stay so',
  { tag: '@long' },
  async ({ page }) => {
    await page.goto('/sessions/demo')
    const conversation = page.getByRole('region', { name: 'Conversation' })
    const edge = page.getByRole('separator', { name: 'Width of the conversation' })
    await expect(conversation).toContainText('It is safe to release.')
    const width = async () => (await conversation.boundingBox())?.width ?? 0
    const usual = await width()
    await edge.press('ArrowRight')
    await expect(edge).toHaveAttribute('aria-valuenow', '48')
    expect(await width()).toBeGreaterThan(usual + 20)
    await edge.hover()
    await page.mouse.down()
    await page.mouse.move(400, 400)
    await page.mouse.up()
    expect(Math.abs((await width()) - 400)).toBeLessThan(4)
    await page.reload()
    await expect(conversation).toContainText('It is safe to release.')
    expect(Math.abs((await width()) - 400)).toBeLessThan(4)
    await edge.dblclick()
    expect(Math.abs((await width()) - usual)).toBeLessThan(2)
  },
)
