import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Page } from '@playwright/test'
import { program } from './server'
import { expect, test } from './test'

/** The most that a file may have of the player, bytes, and of the demo with it. */
const [mostBytes, frames] = [1_000_000, 121]

let folder = ''
test.beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'tapedeck-file-'))))
test.afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Exports a session from the server, and opens the file from disk with the network off. */
async function openFile(page: Page, server: string, session: string): Promise<string[]> {
  const path = join(folder, `${session}.html`)
  execFileSync(program, ['export', session, '--format', 'html', '--output', path, '--force'], {
    env: { ...process.env, TAPEDECK_SERVER: server },
    stdio: 'pipe',
  })
  expect(statSync(path).size).toBeLessThan(mostBytes)
  await page.context().setOffline(true)
  const requests: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  await page.goto(pathToFileURL(path).href)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  return requests
}

async function moment(page: Page): Promise<number> {
  return Number(await page.getByTestId('moment').getAttribute('data-ms'))
}

test('a file plays a session at its own timing without a server', async ({ page, demoServer }) => {
  await page.setViewportSize({ width: 1400, height: 900 })
  const requests = await openFile(page, demoServer, 'demo')
  await expect(page.getByText('A recording in a file, read only, with secrets masked.')).toBeVisible()
  const conversation = page.getByRole('region', { name: 'Conversation' })
  await expect(conversation.getByText('failed in TestRenewLease', { exact: false }).first()).toBeVisible()
  await expect(page.getByText('grep -n -A4 FAIL build/nightly.log').first()).toBeVisible()
  await expect(page.getByRole('tab', { name: 'Timeline' })).toHaveAttribute('aria-selected', 'true')

  // From the beginning nothing is said; at a fixed speed the moment moves with the clock.
  const end = await moment(page)
  await page.getByRole('button', { name: 'Play', exact: true }).click()
  await expect.poll(() => moment(page)).toBeLessThan(end / 2)
  await expect(conversation.getByText('It is safe to release.', { exact: false })).toHaveCount(0)
  const [before, at] = [await moment(page), Date.now()]
  await expect.poll(() => moment(page)).toBeGreaterThan(before + 1000)
  expect((await moment(page)) - before).toBeLessThan(Date.now() - at + 500)
  await expect.poll(() => moment(page)).toBe(end)
  await expect(conversation.getByText('It is safe to release.', { exact: false }).first()).toBeVisible()

  await page.getByRole('tab', { name: 'Frames' }).click()
  await expect(page.getByText(`${frames} frames`).first()).toBeVisible()
  await page.reload()
  await expect(page.getByRole('tab', { name: 'Frames' })).toHaveAttribute('aria-selected', 'true')
  expect(requests.filter((url) => !/^(file:|blob:null|data:)/.test(url))).toEqual([])
})

test('a file is read on a narrow screen, in the dark, step by step', async ({ page, demoServer }) => {
  await page.setViewportSize({ width: 420, height: 860 })
  await page.emulateMedia({ colorScheme: 'dark' })
  await openFile(page, demoServer, 'demo-release')
  await expect(page.getByText('Version 4.8.1 is in production', { exact: false }).first()).toBeVisible()
  await page.getByRole('tab', { name: 'Timeline' }).click()
  await expect(page.getByText('Review the migration').first()).toBeVisible()
  const end = await moment(page)
  await page.getByRole('button', { name: 'One frame back' }).click()
  await expect.poll(() => moment(page)).toBeLessThan(end)
})

test('a file cannot load anything', async ({ page, demoServer, expectErrors }) => {
  expectErrors(/Content Security Policy|Refused to/)
  await openFile(page, demoServer, 'demo')
  await page.context().setOffline(false)
  const refused = await page.evaluate(async (url) => {
    const image = new Image()
    const loaded = new Promise<string>((done) => {
      image.onload = () => done('loaded')
      image.onerror = () => done('refused')
    })
    image.src = `${url}/favicon.ico`
    const fetched = await fetch(url).then(
      () => 'loaded',
      () => 'refused',
    )
    const script = document.createElement('script')
    script.textContent = 'document.title = "taken"'
    document.head.append(script)
    return [await loaded, fetched, document.title]
  }, demoServer)
  expect(refused.slice(0, 2)).toEqual(['refused', 'refused'])
  expect(refused[2]).not.toBe('taken')
})
