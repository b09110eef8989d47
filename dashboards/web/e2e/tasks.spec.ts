import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Locator } from '@playwright/test'
import { LiveRun } from './liverun'
import { program, startServer, type Server } from './server'
import { spend } from './spending'
import { expect, test } from './test'

// In how many clicks people answer the questions that they have most often.

let server: Server
let run: LiveRun | undefined

const day = 86_400_000
/** The browser's zone, as the configuration has it. */
const timeZone = 'Europe/Berlin'

test.beforeAll(async () => {
  test.setTimeout(180_000)
  server = await startServer(['--quiet-after', '2s'])
})
test.afterAll(async () => {
  await run?.end()
  await server.stop()
})

/** Records a run of an AG-UI agent that failed, at the times of its lines. */
function failed(session: string, at: number, message: string) {
  const dir = mkdtempSync(join(tmpdir(), 'tapedeck-failed-'))
  try {
    const file = join(dir, 'run.jsonl')
    const events = [
      { type: 'RUN_STARTED', threadId: session, runId: 'r1', timestamp: at },
      { type: 'RUN_ERROR', message, timestamp: at + 2000 },
    ]
    writeFileSync(file, events.map((event) => `${JSON.stringify(event)}\n`).join(''))
    execFileSync(program, ['record', '--server', server.url, '--session', session, '--clock', 'frame', file])
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

/** A time, or some seconds before it: calls that begin then are all in one month of the browser's zone. */
function withinMonth(ms: number): number {
  const lasts = 15_000
  const month = (at: number) => new Date(at).toLocaleDateString('en-CA', { timeZone, month: 'numeric' })
  return month(ms) === month(ms + lasts) ? ms : ms - lasts
}

/** Clicks one after the other, and counts. */
class Clicks {
  count = 0
  async on(target: Locator): Promise<void> {
    await target.click()
    this.count++
  }
}

test('why did yesterday’s run fail: 3 clicks', async ({ page }) => {
  await page.clock.setFixedTime(Date.now()) // for the page it stays the same day
  // The day of the browser's zone, which may be another one than that of the server.
  const today = await page.evaluate(() => new Date().toLocaleDateString('en-CA'))
  failed('failed-yesterday', Date.parse(`${today}T12:00:00Z`) - day, 'out of memory')
  await page.goto(server.url)
  const clicks = new Clicks()
  await clicks.on(page.getByRole('button', { name: 'Views' }))
  await clicks.on(page.getByRole('link', { name: 'Failed yesterday' }))
  await clicks.on(page.getByRole('table', { name: 'Sessions' }).getByRole('link').first())
  await expect(page).toHaveURL(/\/sessions\/failed-yesterday/)
  await expect(page.locator('main header').first()).toContainText(/Failed at .*out of memory/)
  expect(clicks.count).toBe(3)
})

test('what hangs: 1 click', async ({ page }) => {
  run = new LiveRun(server.url, 'hanging')
  run.call('c1', 'psql', '{"query":"select pg_sleep(3600)"}')
  await page.goto(server.url)
  const first = page.getByRole('table', { name: 'Sessions' }).getByRole('row').nth(1)
  await expect(first).toContainText(/in psql, silent for (\d+ m )?\d+ s/)
  const clicks = new Clicks()
  await clicks.on(first.getByRole('link'))
  await expect(page.getByText(/^Now in psql, for/)).toBeVisible()
  expect(clicks.count).toBe(1)
})

test('the costliest customer this month, and why: 3 clicks', async ({ page }) => {
  const call = { model: 'claude-sonnet-4-5', input: 100_000, output: 1000 }
  const at = withinMonth(Date.now() - 60_000)
  await page.clock.setFixedTime(at) // for the page it is the month of the calls
  await spend(server.url, 'acme-dear', at, [call, call], ['customer=acme'])
  await spend(server.url, 'acme-cheap', at, [{ ...call, input: 10 }], ['customer=acme'])
  await spend(server.url, 'globex-1', at, [call], ['customer=globex'])
  await page.goto(server.url)
  const clicks = new Clicks()
  await clicks.on(page.getByRole('button', { name: 'Views' }))
  await clicks.on(page.getByRole('link', { name: 'Usage by customer this month' }))
  const dearest = page.getByRole('region', { name: 'Usage table' }).getByRole('row').nth(1)
  await expect(dearest).toContainText('acme')
  await clicks.on(dearest.getByRole('link').last())
  // Two calls of 100,000 × 3 + 1,000 × 15 millionths of a dollar, and one of 10 × 3 + 1,000 × 15.
  await expect(page.getByRole('status', { name: 'All that fit' })).toHaveText(
    /^2 sessions, .* tokens, \$0\.6450$/,
  )
  await expect(page.getByRole('table', { name: 'Sessions' }).getByRole('link')).toHaveText([
    'Task 1',
    'Task 1',
  ])
  await expect(page.getByRole('table', { name: 'Sessions' }).getByRole('row').nth(1)).toContainText(
    'acme-dear',
  )
  expect(clicks.count).toBe(3)
})

test('from a row of a bill to the frame that stated the usage: 2 clicks', async ({ page }) => {
  const month = new Date()
  month.setUTCDate(0)
  await spend(server.url, 'billed-before', month.getTime() - 20 * day, [
    { model: 'claude-haiku-4-5', input: 10_000, output: 1000 },
  ])
  const period = new Date(month.getTime() - 20 * day).toISOString().slice(0, 7)
  await page.goto(`${server.url}/bills?account=tenant&period=${period}`)
  const clicks = new Clicks()
  await clicks.on(page.getByRole('button', { name: 'Charges of claude-haiku-4-5, input tokens' }))
  await clicks.on(
    page.getByRole('region', { name: /^Charges of/ }).getByRole('link', { name: 'billed-before' }),
  )
  await expect(page).toHaveURL(/\/sessions\/billed-before\?t=/)
  expect(clicks.count).toBe(2)
})
