import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import type { Locator, Page } from '@playwright/test'
import { ended } from './recording'
import { startServer, type Server } from './server'
import { expect, test } from './test'

let server: Server
let admin: string

// These tests need tokens: they have a server of their own.
test.beforeAll(async () => {
  test.setTimeout(180_000)
  server = await startServer(['--tokens', '--demo'])
  admin = readFileSync(join(server.data, 'admin-token'), 'utf8').trim()
})
test.afterAll(() => server.stop())

// What is refused is reported in the browser's console.
test.beforeEach(({ expectErrors }) => expectErrors(/status of 4\d\d/))

/** Makes a token of the tenant of the pages. */
async function tokenWith(page: Page, ...scopes: string[]): Promise<{ id: string; token: string }> {
  const answer = await page.request.post(`${server.url}/v1/tokens`, {
    headers: { Authorization: `Bearer ${admin}` },
    data: { name: `with ${scopes.join()}`, scopes },
  })
  expect(answer.status()).toBe(201)
  return (await answer.json()) as { id: string; token: string }
}

async function logIn(page: Page, token: string) {
  await page.getByRole('textbox', { name: 'Token' }).fill(token)
  await page.getByRole('button', { name: 'Log in with a token' }).click()
}

/** Unfolds the group of settings in the navigation, and returns its links, which are in sight. */
async function settingsLinks(page: Page): Promise<Locator> {
  const pages = page.getByRole('navigation', { name: 'Pages' })
  await pages.getByRole('button', { name: 'Settings' }).click()
  const links = pages.getByRole('list', { name: 'Settings' }).getByRole('link')
  await expect(links.first()).toBeVisible()
  return links
}

test('a page asks for a login first, and is shown after it', async ({ page }) => {
  await page.goto(`${server.url}/usage`)
  await expect(page.getByRole('heading', { name: 'Log in' })).toBeVisible()
  await expect(page.getByRole('navigation')).toHaveCount(0) // its pages would lead to the login again
  for (const scheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
    const { violations } = await new AxeBuilder({ page }).analyze()
    expect(violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')).toEqual([])
  }
  await logIn(page, 'td_wrong')
  await expect(page.getByRole('alert')).toContainText('Token refused')
  await logIn(page, admin)
  await expect(page.getByRole('heading', { level: 1, name: 'Usage' })).toBeVisible()
  const [cookie] = await page.context().cookies()
  expect(cookie).toMatchObject({ name: 'tapedeck', httpOnly: true, sameSite: 'Lax' })
  await page.reload()
  await expect(page.getByRole('heading', { level: 1, name: 'Usage' })).toBeVisible()
  await page.waitForLoadState('networkidle') // the logout ends requests that are under way

  await page.getByRole('button', { name: /Account/ }).click()
  await page.getByRole('menuitem', { name: 'Log out' }).click()
  await expect(page.getByRole('heading', { name: 'Log in' })).toBeVisible()
})

test(
  'a token is made, shown once, and revoked; its login ends',
  { tag: '@long' },
  async ({ page, browser }) => {
    await page.goto(server.url)
    await logIn(page, admin)
    await (await settingsLinks(page)).filter({ hasText: 'Access' }).click()
    await page.getByRole('button', { name: 'Make a token' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('of a browser')
    await dialog.getByRole('checkbox', { name: 'record' }).uncheck()
    await dialog.getByRole('checkbox', { name: 'read', exact: true }).check()
    await dialog.getByRole('button', { name: 'Make the token' }).click()
    const token = (await dialog.getByLabel('the token', { exact: true }).textContent()) ?? ''
    expect(token).toMatch(/^td_[0-9A-Za-z]{36}$/)
    await dialog.getByRole('button', { name: 'Done' }).click()
    const row = page.getByRole('region', { name: 'Tokens' }).getByRole('row', { name: 'of a browser' })
    await expect(row).toContainText('valid')
    await expect(page.getByText(token)).toHaveCount(0)
    const { violations } = await new AxeBuilder({ page }).analyze()
    expect(violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')).toEqual([])

    const reader = await (await browser.newContext()).newPage()
    await reader.goto(server.url)
    await logIn(reader, token)
    await expect(reader.locator('a[href="/sessions/demo"]').first()).toBeVisible()

    await row.getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await expect(row).toContainText('revoked')
    await expect(reader.getByRole('heading', { name: 'Log in' })).toBeVisible()
    await reader.context().close()
  },
)

test('what a login may not do is said, with what to do', async ({ page }) => {
  const { token } = await tokenWith(page, 'read')
  await page.goto(server.url)
  await logIn(page, token)
  await expect(page.locator('a[href="/sessions/demo"]').first()).toBeVisible()
  await expect(await settingsLinks(page)).toHaveText(['Retention', 'Audit log'])
  for (const path of ['/bills', '/access']) {
    await page.goto(server.url + path)
    await expect(page.getByRole('alert')).toContainText('Scope missing')
    await expect(page.getByRole('alert').getByRole('link', { name: 'Who is logged in' })).toBeVisible()
  }
})

test('pages of another site do nothing with the login', async ({ page }) => {
  await page.goto(server.url)
  await logIn(page, admin)
  await expect(page.getByRole('button', { name: /Account/ })).toBeVisible()
  const before = await page.request.get(`${server.url}/v1/tokens`, {
    headers: { Authorization: `Bearer ${admin}` },
  })
  await page.route('http://localhost:1/', (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: `<form method="post" enctype="text/plain" action="${server.url}/v1/tokens"><input name='{"name":"x","scopes":["admin"],"tenant":"' value='default"}'><button>Send</button></form>`,
    }),
  )
  await page.goto('http://localhost:1/')
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(page.locator('body')).toContainText('Origin not allowed')
  const after = await page.request.get(`${server.url}/v1/tokens`, {
    headers: { Authorization: `Bearer ${admin}` },
  })
  expect(((await after.json()) as { items: unknown[] }).items.length).toBe(
    ((await before.json()) as { items: unknown[] }).items.length,
  )
})

test('a shared link shows its session alone, until it is revoked', async ({ page, browser }) => {
  await expect.poll(() => ended(asAdmin(page), 'demo', server.url), { timeout: 60_000 }).toBe(true)
  await page.goto(`${server.url}/sessions/demo`)
  await logIn(page, admin)
  await page.getByRole('button', { name: 'Share' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Note').fill('Look at this')
  await dialog.getByRole('button', { name: 'Make a link' }).click()
  const link = (await dialog.getByLabel('the link', { exact: true }).textContent()) ?? ''
  expect(link).toMatch(/\/share(\?t=[\d.]+)?#tds_/)

  const guest = await (await browser.newContext()).newPage()
  const asked: string[] = []
  guest.on('request', (request) => asked.push(request.url()))
  await guest.goto(link)
  await expect(guest.getByText('Look at this')).toBeVisible()
  await expect(guest.getByText('The link works until')).toBeVisible()
  await expect(guest.getByRole('heading', { level: 1 })).toBeVisible()
  await guest.getByRole('tab', { name: 'Frames' }).click()
  await expect(guest.getByRole('gridcell', { name: 'message_chunk' }).first()).toBeVisible()
  await guest.getByRole('button', { name: 'Play' }).click()
  await guest.reload()
  await expect(guest.getByText('Look at this')).toBeVisible()
  expect(asked.filter((url) => url.includes('tds_') && !url.includes('#'))).toEqual([])
  const other = await guest.context().newPage()
  await other.goto(`${server.url}/sessions/demo`)
  await expect(other.getByRole('heading', { name: 'Log in' })).toBeVisible()

  await dialog.getByRole('button', { name: 'Revoke Look at this' }).click()
  await expect(dialog.getByRole('button', { name: 'Revoke Look at this' })).toHaveCount(0)
  await guest.reload()
  await expect(guest.getByRole('alert')).toContainText('The shared link is over')
  await guest.context().close()
})

/** Requests with the administrator's token. */
function asAdmin(page: Page) {
  const { request } = page
  return {
    ...request,
    get: (url: string) => request.get(url, { headers: { Authorization: `Bearer ${admin}` } }),
  }
}
