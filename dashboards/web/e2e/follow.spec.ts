import { execFileSync } from 'node:child_process'
import type { Page } from '@playwright/test'
import { ended } from './recording'
import { LiveRun } from './liverun'
import { program } from './server'
import { expect, test } from './test'

/** Records a run with a tool call in each second; the times are the frames' own. */
async function longSession(page: Page, server: string, session: string, calls: number): Promise<void> {
  const start = Date.UTC(2026, 0, 2, 3, 4, 5)
  let lines = ''
  const line = (second: number, type: string, body: object) => {
    lines += JSON.stringify({ type, timestamp: start + second * 1000, ...body }) + '\n'
  }
  line(0, 'RUN_STARTED', { threadId: 'own', runId: 'r1' })
  for (let i = 0; i < calls; i++) {
    line(i, 'TOOL_CALL_START', { toolCallId: `c${i}`, toolCallName: `tool${i}` })
    line(i, 'TOOL_CALL_END', { toolCallId: `c${i}` })
    line(i + 0.5, 'TOOL_CALL_RESULT', { messageId: `m${i}`, toolCallId: `c${i}`, content: `done ${i}` })
  }
  line(calls, 'RUN_FINISHED', { threadId: 'own', runId: 'r1' })
  execFileSync(program, ['record', '--server', server, '--session', session, '--clock', 'frame', '-'], {
    input: lines,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  await expect.poll(() => ended(page.request, session)).toBe(true)
}

const grid = (page: Page) => page.getByRole('treegrid', { name: 'Spans' })
const toNow = (page: Page) =>
  page.getByRole('tabpanel', { name: 'Timeline' }).getByRole('button', { name: 'Jump to now' })

/** The names of the lines that can be seen. */
async function seen(page: Page): Promise<string[]> {
  return grid(page).evaluate((grid) => {
    const view = grid.parentElement?.getBoundingClientRect()
    if (view === undefined) return []
    return [...grid.querySelectorAll('[role="row"]')]
      .filter((row) => {
        const box = row.getBoundingClientRect()
        return box.top >= view.top + 28 && box.bottom <= view.bottom + 0.5
      })
      .map((row) => row.querySelector('[role="gridcell"]')?.textContent ?? '')
  })
}

async function moment(page: Page): Promise<number> {
  return Number(await page.getByTestId('moment').getAttribute('data-ms'))
}

test(
  'the lines of the timeline follow the moment, by link, scrubbing and playing',
  { tag: '@long' },
  async ({ page, baseURL }, info) => {
    const session = `follow-${info.repeatEachIndex}-${info.retry}-${Date.now()}`
    await longSession(page, baseURL ?? '', session, 300)
    await page.goto(`/sessions/${session}?t=150.2&tab=timeline`)
    await expect.poll(() => seen(page)).toContain('tool150')
    await expect(toNow(page)).toHaveCount(0)

    // What lies under 90 % of the session.
    await page.keyboard.press('9')
    await expect.poll(() => seen(page)).toContain('tool270')
    await page.keyboard.press('Home')
    await expect.poll(() => seen(page)).toContain('tool0')

    // After the user scrolls away the view does not follow, until it is asked to.
    await grid(page).hover()
    await page.mouse.wheel(0, 4000)
    await expect(toNow(page)).toBeVisible()
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => moment(page)).toBe(5000)
    expect(await seen(page)).not.toContain('tool5')
    await toNow(page).click()
    await expect.poll(() => seen(page)).toContain('tool5')
    await expect(toNow(page)).toHaveCount(0)

    // While it plays.
    for (let i = 0; i < 3; i++) await page.keyboard.press('>') // four times as fast, far from the end at the pause
    await page.keyboard.press('k')
    await expect.poll(() => moment(page), { timeout: 60_000 }).toBeGreaterThan(60_000)
    await page.keyboard.press('k')
    await expect(page.getByRole('button', { name: 'Play', exact: true })).toBeVisible()
    const at = Math.floor((await moment(page)) / 1000)
    await expect.poll(() => seen(page)).toContain(`tool${at}`)
    // The axis has gone on with the lines, and the playhead is on it.
    await expect(page.getByTestId('playhead')).toBeVisible()
  },
)

test(
  'the timeline of a live session shows its newest line and its end',
  { tag: '@long' },
  async ({ page, baseURL }, info) => {
    const session = `newest-${info.repeatEachIndex}-${info.retry}-${Date.now()}`
    const run = new LiveRun(baseURL ?? '', session)
    run.say('I begin.')
    await expect.poll(async () => (await page.request.get(`/v1/sessions/${session}`)).status()).toBe(200)
    await page.goto(`/sessions/${session}?tab=timeline`)
    await expect(
      page.getByRole('region', { name: 'Player' }).getByText('Live', { exact: true }),
    ).toBeVisible()
    for (let i = 0; i < 60; i++) {
      run.call(`c${i}`, `tool${i}`, '{}')
      await page.waitForTimeout(60) // the calls arrive in many updates, as those of an agent do
      run.result(`c${i}`, 'done')
    }
    await expect.poll(() => seen(page)).toContain('tool59')
    await expect(toNow(page)).toHaveCount(0)
    await expect(page.getByRole('button', { name: 'Whole run' })).toHaveCount(0)
    await run.end()
  },
)
