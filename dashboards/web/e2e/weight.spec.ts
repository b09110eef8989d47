import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Page } from '@playwright/test'
import { longRun } from './longrun'
import { program, startServer } from './server'
import { expect, test } from './test'

/** What came over the wire since a page was opened: requests by their paths, and their bytes. */
class Wire {
  private readonly paths = new Map<string, string>()
  private readonly sizes = new Map<string, number>()

  static async of(page: Page): Promise<Wire> {
    const wire = new Wire()
    const client = await page.context().newCDPSession(page)
    await client.send('Network.enable')
    await client.send('Network.setCacheDisabled', { cacheDisabled: true })
    client.on('Network.requestWillBeSent', ({ requestId, request }) =>
      wire.paths.set(requestId, request.url.replace(/^http:\/\/[^/]*/, '')),
    )
    client.on('Network.loadingFinished', ({ requestId, encodedDataLength }) =>
      wire.sizes.set(requestId, encodedDataLength),
    )
    return wire
  }

  /** What was asked for, with the bytes of the first answer, its head included; later ones are polls. */
  all() {
    const answers = new Map<string, number>()
    for (const [id, bytes] of this.sizes) {
      const path = this.paths.get(id) ?? ''
      if (!path.startsWith('data:') && !answers.has(path)) answers.set(path, bytes)
    }
    return [...answers].map(([path, bytes]) => ({ path, bytes }))
  }
}

const sum = (answers: readonly { bytes: number }[]) => answers.reduce((total, { bytes }) => total + bytes, 0)

test('the first page takes at most 12 requests and 200 KB', { tag: '@long' }, async ({ page }) => {
  const server = await startServer(['--demo']) // other tests record sessions, which are listed too
  try {
    const demo = page.locator('a[href="/sessions/demo"]')
    await page.goto(server.url)
    await expect(demo).toBeVisible()
    const wire = await Wire.of(page)
    await page.reload()
    await expect(demo).toBeVisible()
    await page.evaluate(() => document.fonts.ready)
    const answers = wire.all()
    console.log(`first load: ${answers.length} requests, ${sum(answers)} bytes`)
    expect.soft(answers.length, JSON.stringify(answers, null, 2)).toBeLessThanOrEqual(12)
    expect.soft(sum(answers), JSON.stringify(answers, null, 2)).toBeLessThanOrEqual(200_000)
  } finally {
    await page.goto('about:blank') // it would report that the server is away
    await server.stop()
  }
})

test('a session of 100,000 frames opens with at most 1.2 MB', { tag: '@long' }, async ({ page, baseURL }) => {
  test.slow()
  const dir = mkdtempSync(join(tmpdir(), 'tapedeck-weight-'))
  try {
    writeFileSync(join(dir, 'long.ndjson'), longRun(100_000, 50))
    await promisify(execFile)(program, ['record', '--session', 'weight', join(dir, 'long.ndjson')], {
      env: { ...process.env, TAPEDECK_SERVER: baseURL },
    })
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
  const wire = await Wire.of(page)
  await page.goto('/sessions/weight?tab=timeline')
  await expect(page.getByRole('treegrid', { name: 'Spans' })).toHaveAttribute('aria-rowcount', /^\d{4,}$/)
  await expect(page.getByRole('log', { name: 'Conversation' })).toContainText('word')
  const answers = wire.all()
  console.log(`100,000 frames: ${answers.length} requests, ${sum(answers)} bytes`)
  expect(sum(answers), JSON.stringify(answers, null, 2)).toBeLessThanOrEqual(1_200_000)
})
