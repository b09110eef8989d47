import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { milliseconds } from './durations'
import { LiveRun } from './liverun'
import { startServer, type Server } from './server'
import { expect, test } from './test'

let server: Server
let run: LiveRun

test.beforeAll(async () => {
  const dir = mkdtempSync(join(tmpdir(), 'tapedeck-rules-'))
  const rules = join(dir, 'rules.yaml')
  writeFileSync(rules, 'rules: [{name: model-silent, kind: silence, after: 2s}]')
  server = await startServer(['--quiet-after', '2s', '--alert-rules', rules])
  rmSync(dir, { recursive: true, force: true }) // it was read at the start
  run = new LiveRun(server.url, 'hung')
  run.call('c1', 'psql', '{"query":"select pg_sleep(3600)"}')
})

test.afterAll(async () => {
  await run.end()
  await server.stop()
})

test('a session that hangs is on top with its tool and its silence, and its page never says less', async ({
  page,
  request,
}) => {
  const newer = new LiveRun(server.url, 'newer')
  await newer.end()
  await page.goto(server.url)
  await expect(page.getByRole('link', { name: 'newer' })).toBeVisible()
  const first = page.getByRole('table').getByRole('row').nth(1)
  await expect(first).toContainText(/hung.*in psql, silent for (\d+ m )?\d+ s/)
  await expect(page.getByRole('status').filter({ hasText: '1 session quiet' })).toBeVisible()
  // Silent for longer than the delay within which the page still expects frames in flight.
  await expect
    .poll(async () => {
      const answer = await request.get(`${server.url}/v1/sessions/hung`)
      return ((await answer.json()) as { silent_ms: number }).silent_ms
    })
    .toBeGreaterThan(6_000)
  // What the page says of the call, from the first time on.
  await page.addInitScript(() => {
    const said: string[] = ((globalThis as unknown as { said: string[] }).said = [])
    new MutationObserver(() => {
      for (const p of document.querySelectorAll('header p')) {
        const text = p.textContent
        if (text.startsWith('Now in') && said.at(-1) !== text) said.push(text)
      }
    }).observe(document, { childList: true, subtree: true, characterData: true })
  })
  await page.reload()
  await first.getByRole('link').click()
  await expect(page.getByText(/^Now in psql, for/)).toBeVisible()
  const said = await page.evaluate(() => (globalThis as unknown as { said: string[] }).said)
  expect(milliseconds(said[0] ?? '')).toBeGreaterThanOrEqual(6_000)
  const card = page.getByRole('article', { name: 'Tool call: psql' })
  await expect(card).toContainText('Silent')
  await expect(card).not.toContainText('Running')
})

test(
  'a session with an open alert is marked in the list and on its page, and its player has the alert',
  { tag: '@long' },
  async ({ page }) => {
    const silent = new LiveRun(server.url, 'silent')
    await page.goto(server.url)
    const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'silent', exact: true }) })
    await expect(row).toContainText(/model-silent since \d/)
    await row.getByRole('link').click()
    await expect(page.locator('header').getByText(/^model-silent since \d/)).toBeVisible()
    const list = page.getByRole('list', { name: 'Alerts' })
    await expect(list).toContainText('no frame for more than 2s')
    await expect(page.locator('[data-name^="model-silent"]')).toBeAttached()
    await silent.end()
    await expect(list).toContainText(/model-silent at .* for \d/)
    await expect(page.locator('header').getByText(/^model-silent since/)).toHaveCount(0)
  },
)
