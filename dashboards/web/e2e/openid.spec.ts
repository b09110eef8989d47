import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { startServer, type Server } from './server'
import { expect, test } from './test'

const clients = fileURLToPath(new URL('../../../tools/systemtest/clients', import.meta.url))

let provider: ChildProcess
let server: Server

// `make clients` installs the provider. A full run may skip nothing.
test.skip(
  !existsSync(`${clients}/node_modules/oidc-provider`) && (process.env['TAPEDECK_TEST_FULL'] ?? '') === '',
  'the OpenID provider is not installed',
)

test.beforeAll(async () => {
  test.setTimeout(180_000)
  server = await startServer(async (url) => {
    const config = {
      redirect: `${url}/login/callback`,
      users: { ann: { groups: ['team-a'] }, carl: { groups: ['another'] } },
    }
    provider = spawn('node', ['openid.mjs', JSON.stringify(config)], {
      cwd: clients,
      stdio: ['pipe', 'pipe', 'ignore'],
      env: { ...process.env },
    })
    if (provider.stdout === null) throw new Error('the provider has no output')
    const [issuer] = (await once(provider.stdout, 'data')) as [Buffer]
    process.env['TAPEDECK_OIDC_CLIENT_SECRET'] = 'secret-of-tapedeck' // read at the start of the server
    return [
      '--tokens',
      ...['--public-url', url],
      ...['--oidc-issuer', issuer.toString().trim(), '--oidc-client-id', 'tapedeck'],
      ...['--oidc-scopes', 'openid,profile,groups'],
      ...['--oidc-grant', 'groups=team-a:tenant=team-a,scopes=read,read:raw'],
    ]
  })
  delete process.env['TAPEDECK_OIDC_CLIENT_SECRET']
})
test.afterAll(async () => {
  await server.stop()
  provider.stdin?.end()
})

test('people log in at the provider, and return to the page that they came to', async ({
  page,
  expectErrors,
}) => {
  expectErrors(/favicon|status of 401/) // what is asked for while the login ends is refused
  await page.goto(`${server.url}/tools?from=now-24h`)
  await page.getByRole('link', { name: /Log in with/ }).click()
  await page.getByLabel('User').fill('ann')
  await page.getByLabel('Password').fill('pw')
  await page.getByRole('button', { name: 'Log in' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Tools' })).toBeVisible()
  await expect(page).toHaveURL(/\/tools\?from=now-24h/) // the page adds the time zone
  await page.getByRole('button', { name: 'Account: User ann' }).click()
  await expect(page.getByText('tenant team-a · read, read:raw')).toBeVisible()
  await page.getByRole('menuitem', { name: 'Log out' }).click()
  await expect(page.getByRole('heading', { name: 'Log in' })).toBeVisible()
})

test('a user without access sees a page that says so', async ({ page, expectErrors }) => {
  expectErrors(/status of 403|favicon/)
  await page.goto(server.url)
  await page.getByRole('link', { name: /Log in with/ }).click()
  await page.getByLabel('User').fill('carl')
  await page.getByLabel('Password').fill('pw')
  await page.getByRole('button', { name: 'Log in' }).click()
  await expect(page.getByRole('heading', { name: 'No access' })).toBeVisible()
  await page.getByRole('link', { name: 'To the login' }).click()
  await expect(page.getByRole('heading', { name: 'Log in' })).toBeVisible()
})
