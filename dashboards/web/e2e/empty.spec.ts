import { execFileSync } from 'node:child_process'
import { dirname } from 'node:path'
import { program, startServer, type Server } from './server'
import { expect, test } from './test'

let server: Server

test.beforeAll(async () => {
  test.setTimeout(180_000)
  server = await startServer()
})

test.afterAll(() => server.stop())

test('every page of an empty server says what to do next, and doing it works', async ({
  page,
  expectErrors,
}) => {
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
  await expect(page.getByLabel('the command to record a command', { exact: true })).toBeVisible()

  await page.goto(`${server.url}/sessions/first`)
  await expect(page.getByRole('alert')).toContainText('There is no session "first"')
  await page.getByRole('link', { name: 'All sessions' }).click()
  await expect(page.getByRole('heading', { name: 'Nothing is recorded yet' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'all ways to record' })).toHaveAttribute('href', '/record')
  const command = await page.getByLabel('the command that records a line', { exact: true }).innerText()
  execFileSync('sh', ['-c', command], {
    env: { ...process.env, PATH: `${dirname(program)}:${process.env['PATH'] ?? ''}` },
    stdio: 'ignore',
  })
  await expect(page.getByRole('table').getByRole('link')).toHaveText(['first'])
})
