import type { APIRequestContext, Page } from '@playwright/test'
import { Recorder } from './recorder'
import { ended, record } from './recording'
import { startServer, type Server } from './server'
import { expect, test } from './test'

const serverIsAway = /net::ERR_|WebSocket connection to/
let server: Server
let request: APIRequestContext

test.beforeAll(async ({ playwright }) => {
  test.setTimeout(180_000)
  server = await startServer(['--demo'])
  request = await playwright.request.newContext({ baseURL: server.url })
  await expect.poll(() => ended(request, 'demo'), { timeout: 60_000 }).toBe(true)
})

test.afterAll(async () => {
  await request.dispose()
  await server.stop()
})

const notice = (page: Page) => page.getByText('The server cannot be reached.')
const player = (page: Page) => page.getByRole('region', { name: 'Player' })
const conversation = (page: Page) => page.getByRole('region', { name: 'Conversation' })

async function moment(page: Page): Promise<number> {
  return Number(await page.getByTestId('moment').getAttribute('data-ms'))
}

test(
  'every page says that the server is away, keeps what it shows, and goes on by itself',
  { tag: '@long' },
  async ({ browser }) => {
    test.slow()
    const open = async (path: string, shows: string) => {
      const page = await browser.newPage() // with a cache of its own
      await page.goto(server.url + path)
      const shown = page.locator(shows).first()
      await expect(shown).toBeVisible()
      return { page, shown }
    }
    const sessions = await open('/', 'a[href="/sessions/demo"]')
    const session = await open('/sessions/demo', 'text=It is safe to release.')
    const usage = await open('/usage?from=now-24h', 'tfoot')
    const tools = await open('/tools?from=now-24h', 'tfoot')
    const recording = await open('/record', 'text=Nothing is being recorded')
    const all = [sessions, session, usage, tools, recording]

    await server.leave()
    for (const { page, shown } of all) {
      await expect(notice(page)).toBeVisible()
      await expect(shown).toBeVisible()
      await expect(page.getByRole('alert')).toHaveCount(0)
    }
    // What is asked for meanwhile is answered later, and what was there is kept till then.
    await usage.page.getByText('day', { exact: true }).click()
    await expect(usage.page).toHaveURL(/granularity=day/)
    await expect(usage.page.getByText('Cost by day')).toBeVisible()
    await expect(usage.shown).toBeVisible()
    await session.page.getByRole('tab', { name: 'Frames' }).click()
    await expect(session.page.getByLabel('Loading the frames')).toBeVisible()
    // So is a page of which not even the code is there.
    await tools.page.getByRole('link', { name: 'Record', exact: true }).click()
    await expect(tools.page.getByText('This page has yet to come')).toBeVisible()

    await server.comeBack()
    for (const { page } of all) await expect(notice(page)).toHaveCount(0)
    await expect(usage.page.locator('[aria-label="Usage table"]')).toBeVisible()
    await expect(session.page.getByRole('grid', { name: 'Frames' })).toBeVisible()
    await expect(tools.page.getByRole('heading', { level: 1, name: 'Record' })).toBeVisible()
    await record(request, 'later', [{ type: 'a' }])
    await expect(sessions.page.locator('a[href="/sessions/later"]')).toBeVisible()
    for (const { page } of all) await page.close()
  },
)

test(
  'a playback stands while the server is away, and goes on from there',
  { tag: '@long' },
  async ({ page, expectErrors }) => {
    expectErrors(serverIsAway)
    test.slow()
    await page.goto(`${server.url}/sessions/demo?t=1`)
    await expect(page.getByTestId('moment')).toHaveAttribute('data-ms', '1000')
    // The views ask for their parts one by one. Only what was answered before the server leaves can stay.
    await expect(conversation(page)).toContainText('is it safe to release?')
    for (let i = 0; i < 3; i++) await page.keyboard.press('<')
    await expect(player(page).getByRole('button', { name: 'Speed: 0.1×' })).toBeVisible()
    await page.keyboard.press('k')
    await expect.poll(() => moment(page)).toBeGreaterThan(1000)
    await server.leave()
    await expect(player(page).getByText('Lost the connection to the server')).toBeVisible()
    await expect(notice(page)).toBeVisible()
    await expect(player(page).getByRole('button', { name: 'Pause' })).toBeVisible()
    const stood = await moment(page)
    await expect(conversation(page)).toContainText('is it safe to release?')

    await server.comeBack()
    await expect.poll(() => moment(page)).toBeGreaterThan(stood)
    await expect(player(page).getByText('Lost the connection to the server')).toHaveCount(0)
    await expect(notice(page)).toHaveCount(0)

    // Paused while it is away it stays so, and can be taken to any moment that is there.
    await server.leave()
    await expect(notice(page)).toBeVisible()
    await page.keyboard.press('k')
    await expect(player(page).getByRole('button', { name: 'Play' })).toBeVisible()
    await page.keyboard.press('End')
    await expect(conversation(page)).toContainText('It is safe to release.')
    // Code and diffs that are shown for the first time are plain until their code comes: the page stays.
    await expect(page.getByText('This page has yet to come')).toHaveCount(0)
    await expect(player(page).getByRole('button', { name: 'Play' })).toBeVisible()
    await server.comeBack()
    await expect(notice(page)).toHaveCount(0)
    await expect(player(page).getByRole('button', { name: 'Play' })).toBeVisible()
  },
)

test(
  'a live session is live again when the server is back, with all that came meanwhile',
  { tag: '@long' },
  async ({ page, expectErrors }, info) => {
    expectErrors(serverIsAway)
    test.slow()
    const session = `away-live-${info.repeatEachIndex}-${info.retry}-${Date.now()}`
    const recorder = new Recorder(server.url, session)
    recorder.say('before')
    await expect.poll(async () => (await request.get(`/v1/sessions/${session}`)).status()).toBe(200)
    await page.goto(`${server.url}/sessions/${session}`)
    await expect(player(page).getByText('Live', { exact: true })).toBeVisible()
    await expect(conversation(page)).toContainText('before')

    await server.leave()
    await expect(notice(page)).toBeVisible()
    await expect(player(page).getByText('Waiting', { exact: true })).toBeVisible()
    recorder.say('meanwhile')
    await expect(conversation(page)).toContainText('before')

    await server.comeBack()
    await expect(player(page).getByText('Live', { exact: true })).toBeVisible()
    await expect(conversation(page)).toContainText('meanwhile', { timeout: 60_000 })
    recorder.say('after')
    await expect(conversation(page)).toContainText('after')
    await recorder.end()
    await expect(player(page).getByText('Live', { exact: true })).toBeHidden()
    await expect(player(page).getByRole('button', { name: 'Play' })).toBeVisible()
  },
)
