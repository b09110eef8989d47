import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
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

  // From the beginning nothing is said; at a fixed speed the moment moves with the clock. It plays slowly, so that the
  // end does not come before what is looked for.
  const end = await moment(page)
  const player = page.getByRole('region', { name: 'Player' })
  for (let i = 0; i < 3; i++) await page.keyboard.press('<')
  await expect(player.getByRole('button', { name: 'Speed: 0.1×' })).toBeVisible()
  await page.getByRole('button', { name: 'Play', exact: true }).click()
  await expect.poll(() => moment(page)).toBeLessThan(end / 2)
  await expect(conversation.getByText('It is safe to release.', { exact: false })).toHaveCount(0)
  const at = Date.now()
  const before = await moment(page)
  await expect.poll(() => moment(page)).toBeGreaterThan(before + 1000)
  const moved = (await moment(page)) - before
  expect(moved).toBeLessThan((Date.now() - at) * 0.1 + 500)
  for (let i = 0; i < 7; i++) await page.keyboard.press('>')
  await expect(player.getByRole('button', { name: 'Speed: 8×' })).toBeVisible()
  await expect.poll(() => moment(page)).toBe(end)
  await expect(conversation.getByText('It is safe to release.', { exact: false }).first()).toBeVisible()

  await page.getByRole('button', { name: 'Licences' }).click()
  const licences = page.getByRole('dialog', { name: 'Licences of the parts of this page' })
  await expect(licences).toContainText(/^react \d+\.\d+\.\d+$/m)
  await expect(licences).toContainText('Permission is hereby granted, free of charge')
  await page.keyboard.press('Escape')
  await expect(licences).toBeHidden()

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

/** Serves a page of another origin that embeds recordings, and a recording. */
async function embedding(server: string, body: string): Promise<{ url: string; close: () => void }> {
  const path = join(folder, 'run.json')
  execFileSync(program, ['export', 'demo', '--format', 'player', '--output', path, '--force'], {
    env: { ...process.env, TAPEDECK_SERVER: server },
    stdio: 'pipe',
  })
  const files = new Map([
    [
      '/',
      `<!doctype html><link rel="icon" href="data:,"><title>Report</title><p id="own">Own text</p>${body}<p>After it</p>`,
    ],
    ['/run.json', readFileSync(path, 'utf8')],
    ['/other.json', '{"frames":1}'],
    ['/text.json', 'TAPE'],
  ])
  const http = createServer((request, response) => {
    const text = files.get(request.url ?? '')
    response.writeHead(text === undefined ? 404 : 200, {
      'Content-Type': request.url === '/' ? 'text/html' : 'application/json',
    })
    response.end(text)
  })
  await new Promise<void>((done) => http.listen(0, '127.0.0.1', done))
  const { port } = http.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/`, close: () => http.close() }
}

test('player.js plays a recording inside another page', async ({ page, demoServer }) => {
  const script = `<script src="${demoServer}/player.js" data-recording="run.json" data-height="700"></script>`
  const { url, close } = await embedding(demoServer, script)
  try {
    await page.goto(url)
    const frame = page.frameLocator('iframe')
    await expect(frame.getByRole('heading', { level: 1 })).toBeVisible()
    await page.context().setOffline(true)
    await expect(page.locator('iframe')).toHaveAttribute('sandbox', 'allow-scripts')
    expect((await page.locator('iframe').boundingBox())?.height).toBe(700)
    // All moments that are shown: the playback may be over sooner than anybody looks.
    const shown = await frame.getByTestId('moment').evaluateHandle((element: HTMLElement) => {
      const shown: number[] = []
      new MutationObserver(() => shown.push(Number(element.dataset['ms']))).observe(element, {
        attributes: true,
      })
      return shown
    })
    await frame.getByRole('button', { name: 'Play', exact: true }).click()
    await expect
      .poll(() =>
        shown.evaluate((all) => Math.max(...all.slice(all.indexOf(Math.min(...all)))) - Math.min(...all)),
      )
      .toBeGreaterThan(500)
    await frame.getByRole('tab', { name: 'Frames' }).click()
    await expect(frame.getByText(`${frames} frames`).first()).toBeVisible()
    await expect(frame.getByRole('button', { name: 'Copy a link to this moment' })).toHaveCount(0)
    // What is in the frame reaches neither the page nor its address.
    const inside = page.frames().find((one) => one !== page.mainFrame())
    expect(
      await inside?.evaluate(() => {
        try {
          return parent.document.title
        } catch (error) {
          return (error as Error).name
        }
      }),
    ).toBe('SecurityError')
    expect(page.url()).toBe(url)
    await expect(page.getByText('After it')).toBeVisible()
  } finally {
    close()
  }
})

test('player.js says what it cannot play', async ({ page, demoServer, expectErrors }) => {
  expectErrors(/404/)
  const of = (attributes: string) => `<script src="${demoServer}/player.js" ${attributes}></script>`
  const { url, close } = await embedding(
    demoServer,
    of('') +
      of('data-recording="missing.json"') +
      of('data-recording="other.json"') +
      of('data-recording="text.json"') +
      of('data-recording="run.json" data-height="1; background: red"'),
  )
  try {
    await page.goto(url)
    await expect(page.getByRole('alert')).toHaveText([
      /lacks data-recording/,
      /missing.json cannot be loaded: the server answers 404/,
      /other.json is not a recording/,
      /text.json is not a recording: "tapedeck export SESSION --format player" writes one/,
      /is not a number of pixels/,
    ])
    await expect(page.locator('iframe')).toHaveCount(0)
  } finally {
    close()
  }
})
