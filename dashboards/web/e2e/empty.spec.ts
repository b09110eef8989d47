import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { program, startServer, type Server } from './server'
import { conversation } from './spending'
import { expect, test } from './test'

let server: Server

test.beforeAll(async () => {
  test.setTimeout(180_000)
  server = await startServer()
})

test.afterAll(() => server.stop())

test(
  'every page of an empty server says what to do next, and doing it works',
  { tag: '@long' },
  async ({ page, expectErrors }) => {
    expectErrors(/status of 404/)
    for (const [path, title] of [
      ['/usage', 'No usage in this range'],
      ['/tools', 'No tool calls in this range'],
      ['/calls', 'No calls of models in this range'],
    ] as const) {
      await page.goto(server.url + path)
      await expect(page.getByRole('heading', { name: title })).toBeVisible()
      await page.getByRole('link', { name: 'record a source' }).click()
      await expect(page).toHaveURL(`${server.url}/record`)
    }
    await expect(page.getByText('Nothing is being recorded. Connect a source')).toBeVisible()
    await expect(
      page.getByLabel('the command to record the history of coding agents', { exact: true }),
    ).toBeVisible()

    await page.goto(`${server.url}/sessions/first`)
    await expect(page.getByRole('alert')).toContainText('There is no session "first"')
    await page.getByRole('link', { name: 'All sessions' }).click()
    await expect(page.getByRole('heading', { name: 'Nothing is recorded yet' })).toBeVisible()
    await expect(page.getByRole('link', { name: 'all ways to record' })).toHaveAttribute('href', '/record')
    const command = await page.getByLabel('the command that records them', { exact: true }).innerText()
    const home = mkdtempSync(join(tmpdir(), 'tapedeck-home-'))
    try {
      const folder = join(home, '.claude', 'projects', 'shop')
      mkdirSync(folder, { recursive: true })
      const id = randomUUID()
      const call = { model: 'claude-sonnet-4-5', input: 10, output: 1 }
      writeFileSync(join(folder, `${id}.jsonl`), conversation(id, Date.UTC(2026, 4, 5, 10), [call]))
      execFileSync('sh', ['-c', command], {
        env: {
          PATH: `${dirname(program)}:${process.env['PATH'] ?? ''}`,
          HOME: home,
          TAPEDECK_WAIT_LIMIT: process.env['TAPEDECK_WAIT_LIMIT'],
        },
        stdio: 'ignore',
      })
      await expect(page.getByRole('table').getByRole('link')).toHaveAttribute('href', `/sessions/${id}`)
    } finally {
      rmSync(home, { recursive: true, force: true })
    }
  },
)
