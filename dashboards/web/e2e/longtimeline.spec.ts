import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { longRun } from './longrun'
import { program } from './server'
import { expect, test } from './test'

test(
  'in a run of a thousand calls the axis follows the rows in sight, and the whole run is a button',
  { tag: '@long' },
  async ({ page, baseURL }) => {
    const dir = mkdtempSync(join(tmpdir(), 'tapedeck-long-'))
    try {
      writeFileSync(join(dir, 'long.ndjson'), longRun(24_000, 20))
      await promisify(execFile)(program, ['record', '--session', 'long', join(dir, 'long.ndjson')], {
        env: { ...process.env, TAPEDECK_SERVER: baseURL },
      })
    } finally {
      rmSync(dir, { recursive: true, force: true })
    }
    await page.goto('/sessions/long?tab=timeline&t=600')
    const grid = page.getByRole('treegrid', { name: 'Spans' })
    await expect(grid).toHaveAttribute('aria-rowcount', /^\d{3,}$/)
    // How far apart the first and the last call of the rows in sight are drawn, px.
    const spread = () =>
      grid.locator('[data-kind="tool"][style]').evaluateAll((bars) => {
        const lefts = bars.map((bar) => bar.getBoundingClientRect().left)
        return Math.max(...lefts) - Math.min(...lefts)
      })
    await expect.poll(spread).toBeGreaterThan(100)
    const before = await page.getByTestId('axis').textContent()
    await grid.hover()
    await page.mouse.wheel(0, -4000)
    await expect.poll(() => page.getByTestId('axis').textContent()).not.toBe(before)
    await expect.poll(spread).toBeGreaterThan(100)
    await page.getByRole('button', { name: 'Whole run' }).click()
    await expect.poll(spread).toBeLessThan(40)
    await page.getByRole('button', { name: 'Rows in sight' }).click()
    await expect.poll(spread).toBeGreaterThan(100)
    // The column of names is made wider by keyboard.
    const edge = page.getByRole('separator', { name: 'Width of the names' })
    const at = (await edge.boundingBox())?.x ?? 0
    await edge.press('ArrowRight')
    await expect.poll(async () => (await edge.boundingBox())?.x).toBeGreaterThan(at + 8)
  },
)
