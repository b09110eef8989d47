import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from '@playwright/test'
import { hostilePaths, hostileTape, said } from './hostile'
import { program } from './server'
import { expect, test } from './test'

const session = `hostile-${Date.now()}`
let tape = ''

test.beforeAll(async () => {
  test.setTimeout(240_000)
  tape = await hostileTape(session)
})

test('a recorded page, script or worker has no part in the server’s origin', async ({
  page,
  request,
  context,
  expectErrors,
}) => {
  expectErrors(/status of 40[34]|^Refused to|bad HTTP response code \(403\)/)
  const imported = await request.post('/v1/import', {
    headers: { 'Content-Type': 'application/vnd.tapedeck.tape' },
    data: readFileSync(tape),
  })
  expect(imported.ok()).toBe(true)
  await expect.poll(async () => (await request.get(`/v1/sessions/${session}`)).ok()).toBe(true)
  const base = `/emulate/${session};speed=max`
  for (const path of hostilePaths) {
    const answer = await page.goto(base + path)
    expect.soft(answer?.status(), path).toBe(403)
    expect.soft(answer?.headers()['content-security-policy'], path).toBe('sandbox')
    expect.soft(await answer?.text(), path).toContain('tapedeck emulate')
    // That nothing runs has no event to wait for: a script or a refresh would change the title at once.
    await page.waitForTimeout(300)
    expect.soft(await page.title(), path).not.toMatch(/script ran|read/)
  }
  // From the server's own page: as a script, a frame, a worker, and as data.
  await page.goto('/sessions')
  const came = await page.evaluate(async (base) => {
    const element = (name: string, attributes: Record<string, string>) =>
      new Promise<string>((done) => {
        const made = document.createElement(name)
        for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
        made.onload = () => done('loaded')
        made.onerror = () => done('refused')
        document.head.append(made)
      })
    const data = await fetch(`${base}/data.json`)
    return {
      script: await element('script', { src: `${base}/script.js` }),
      module: await element('script', { type: 'module', src: `${base}/script.js` }),
      style: await element('link', { rel: 'stylesheet', href: `${base}/script.js` }),
      worker: await navigator.serviceWorker.register(`${base}/worker.js`, { scope: '/' }).then(
        () => 'registered',
        () => 'refused',
      ),
      workers: (await navigator.serviceWorker.getRegistrations()).length,
      page: (await fetch(`${base}/page.html`)).headers.get('X-Content-Type-Options'),
      data: (await data.json()) as unknown,
      id: data.headers.get('X-Request-Id'),
    }
  }, base)
  expect.soft(came).toEqual({
    script: 'refused',
    module: 'refused',
    style: 'refused',
    worker: 'refused',
    workers: 0,
    page: 'nosniff',
    data: { answer: 42 },
    id: 'req-7',
  })
  expect.soft(await context.cookies()).toEqual([])
})

for (const source of ['tape', 'session'])
  test(`on a port of its own a ${source} works as recorded, and pages of other ports read its headers`, async ({
    page,
    baseURL,
    expectErrors,
  }) => {
    expectErrors(/status of 404/)
    await worksOnItsOwnPort(page, source === 'tape' ? [tape] : [session, '--server', baseURL ?? ''])
  })

async function worksOnItsOwnPort(page: Page, args: string[]) {
  const command = ['emulate', '--listen', '127.0.0.1:0', '--speed', 'max', 'http', ...args]
  const child = spawn(program, command, { stdio: ['ignore', 'ignore', 'pipe'] })
  const pages = createServer((_, response) =>
    response.writeHead(200, { 'Content-Type': 'text/html' }).end('<!doctype html>'),
  )
  try {
    const base = await said(child, /http:\S+(?= plays)/)
    await page.goto(`${base}/page.html`)
    await expect.poll(() => page.title()).toBe('script ran') // and there is no /v1/sessions to read
    expect(
      await page.evaluate(() => navigator.serviceWorker.ready.then((r) => new URL(r.scope).pathname)),
    ).toBe('/')
    pages.listen(0, '127.0.0.1')
    await once(pages, 'listening')
    await page.goto(`http://127.0.0.1:${(pages.address() as AddressInfo).port}/`)
    const id = await page.evaluate(
      async (base) => (await fetch(`${base}/data.json`)).headers.get('X-Request-Id'),
      base,
    )
    expect(id).toBe('req-7')
  } finally {
    child.kill('SIGTERM')
    await once(child, 'exit')
    pages.close()
  }
}

test('a page of another port reads why a session cannot be asked', async ({
  page,
  baseURL,
  expectErrors,
}) => {
  expectErrors(/status of 404/)
  const pages = createServer((_, response) =>
    response.writeHead(200, { 'Content-Type': 'text/html' }).end('<!doctype html>'),
  )
  pages.listen(0, '127.0.0.1')
  await once(pages, 'listening')
  try {
    await page.goto(`http://127.0.0.1:${(pages.address() as AddressInfo).port}/`)
    const detail = await page.evaluate(async (base) => {
      const answer = await fetch(`${base}/emulate/nosuch/v1/messages`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: '{}',
      })
      return ((await answer.json()) as { detail: string }).detail
    }, baseURL ?? '')
    expect(detail).toContain('There is no session "nosuch"')
  } finally {
    pages.close()
  }
})
