import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import type { Locator, Page } from '@playwright/test'
import { filters } from './filters'
import { startServer, type Server } from './server'
import { settled } from './settled'
import { expect, test } from './test'

// A colour that is fading in has another contrast.
test.use({ contextOptions: { reducedMotion: 'reduce' } })

let server: Server
let admin: string

// With tokens, since some menus and dialogs are there only with them.
test.beforeAll(async () => {
  test.setTimeout(240_000)
  server = await startServer(['--tokens', '--demo'])
  admin = readFileSync(join(server.data, 'admin-token'), 'utf8').trim()
})
test.afterAll(() => server.stop())

/** All rules of axe, also those that it leaves out by itself, but not the enhanced contrast of level AAA. */
const tags = [
  ...['wcag2a', 'wcag2aa', 'wcag2aaa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
  ...['best-practice', 'experimental', 'section508'],
]

/**
 * Rules that are left out: the enhanced contrast; the size of targets, which is looked at apart; and an experimental rule
 * that knows neither separators that the arrow keys move nor groups that scroll.
 */
const left = ['color-contrast-enhanced', 'target-size', 'focus-order-semantics']

async function violations(page: Page, rule?: string): Promise<string[]> {
  const axe = new AxeBuilder({ page })
  if (rule === undefined) axe.withTags(tags).disableRules(left)
  else axe.withRules(rule)
  const found = await axe.analyze()
  return found.violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join('\n  ')}`,
  )
}

/** Something that opens over a page or in it: what opens it, and what is there then. */
interface Opening {
  name: string
  open: (page: Page) => Promise<void>
  shown: (page: Page) => Locator
  /** The key Escape does not close it. */
  stays?: true
}

const dialog = (name: string | RegExp) => (page: Page) => page.getByRole('dialog', { name })
const press = (name: string | RegExp) => (page: Page) =>
  page.getByRole('button', { name, exact: true }).first().click()

/** The panel of a button, which says what passes too: "Status: ok". */
const panel = (name: string): Opening => ({
  name,
  open: press(new RegExp(`^${name}(:|$)`)),
  shown: dialog(name),
})

/** The panel of a filter that is picked in the menu of all. */
const filter = (name: string): Opening => ({
  name,
  open: async (page) => {
    await filters(page).getByRole('button', { name: 'Filter', exact: true }).click()
    await page.getByRole('option', { name, exact: true }).click()
  },
  shown: dialog(name),
})

/** A dialog that an entry of the session's menu opens. */
const entry = (name: string, title: RegExp): Opening => ({
  name,
  open: async (page) => {
    await page.getByRole('button', { name: 'Session menu' }).click()
    await page.getByRole('menuitem', { name }).click()
  },
  shown: dialog(title),
})

const group = (name: string): Opening => ({
  name,
  open: (page) => page.getByRole('navigation', { name: 'Pages' }).getByRole('button', { name }).click(),
  shown: (page) => page.getByRole('list', { name }),
})

const pages: readonly { path: string; ready: string; narrow?: true; openings: readonly Opening[] }[] = [
  {
    path: '/?status=ok',
    ready: 'a[href="/sessions/demo"]',
    openings: [
      ...['Filter', 'Views', 'Columns', 'Status'].map(panel),
      ...['Time', 'Tool', 'Model', 'Tag', 'Tokens', 'Cost', 'Duration'].map(filter),
      ...['Analytics', 'Billing', 'Settings'].map(group),
      { name: 'palette', open: (page) => page.keyboard.press('Control+k'), shown: dialog('Go to') },
      {
        name: 'account',
        open: press(/^Account/),
        shown: (page) => page.getByRole('menu'),
      },
      {
        name: 'labels',
        open: async (page) => {
          await page
            .getByRole('checkbox', { name: /^Choose/ })
            .first()
            .check()
          await press('Label…')(page)
        },
        shown: dialog(/^Label/),
      },
      { name: 'delete', open: press('Delete…'), shown: dialog(/^Delete/) },
    ],
  },
  {
    path: '/',
    ready: 'a[href="/sessions/demo"]',
    narrow: true,
    openings: [{ name: 'sheet', open: press('Menu'), shown: dialog('Pages') }],
  },
  {
    path: '/sessions/demo',
    ready: '[role="treegrid"]',
    openings: [
      { name: 'session menu', open: press('Session menu'), shown: (page) => page.getByRole('menu') },
      entry('Export…', /Export/),
      entry('Replay into my UI…', /Replay/),
      entry('Emulate…', /Emulate/),
      entry('Share…', /Share/),
      entry('Decode again…', /Decode/),
      entry('Delete…', /Delete/),
      { name: 'speed', open: press(/^Speed/), shown: (page) => page.getByRole('menu') },
      { name: 'keys', open: (page) => page.keyboard.press('?'), shown: dialog('Keys') },
      {
        name: 'find',
        open: async (page) => {
          await page.getByRole('button', { name: 'Find words in this session' }).click()
          await page.getByRole('textbox', { name: 'Find in this session' }).fill('build')
          await page.keyboard.press('Enter')
        },
        shown: (page) => page.getByRole('search', { name: 'Find in this session' }),
      },
      {
        name: 'span',
        open: (page) => page.getByRole('treegrid', { name: 'Spans' }).getByRole('row').nth(3).click(),
        shown: (page) => page.getByRole('complementary'),
        stays: true,
      },
    ],
  },
  {
    path: '/sessions/demo?tab=frames',
    ready: '[role="grid"] [aria-current="time"]',
    openings: [
      {
        name: 'frame',
        open: (page) => page.getByRole('grid', { name: 'Frames' }).press('End'),
        shown: (page) => page.getByRole('complementary', { name: 'The frame' }),
        stays: true,
      },
      {
        name: 'types',
        open: (page) => page.getByRole('combobox', { name: 'Types of frames' }).click(),
        shown: (page) => page.getByRole('option').first(),
      },
    ],
  },
  {
    path: '/usage?from=now-24h',
    ready: 'tfoot',
    openings: [panel('Re-price'), panel('Export'), panel('Group by')],
  },
  { path: '/usage/reconciliation', ready: 'main [data-ready]', openings: [panel('Finding')] },
  {
    path: '/access',
    ready: 'tbody',
    openings: [
      { name: 'token', open: press('Make a token'), shown: dialog(/token/i) },
      { name: 'revoke', open: press(/^Revoke/), shown: dialog(/^Revoke/) },
    ],
  },
  {
    path: '/retention',
    ready: 'tbody',
    openings: [{ name: 'policy', open: press('Change frames'), shown: dialog('Keep frames') }],
  },
]

/** Sets the colours. Beside contrast, nothing that axe looks at depends on them. */
async function scheme(page: Page, colorScheme: 'light' | 'dark') {
  await page.emulateMedia({ colorScheme })
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', colorScheme)
  await settled(page)
}

for (const { path, ready, narrow, openings } of pages)
  test(
    `axe finds nothing, whatever is open: ${path}${narrow === true ? ', narrow' : ''}`,
    { tag: '@long' },
    async ({ page, expectErrors }) => {
      test.slow()
      expectErrors(/status of 401/) // before the login
      expectErrors(/status of 409 .*\/emulation\?/) // the protocols in which the demo cannot be emulated
      await page.setViewportSize(narrow === true ? { width: 390, height: 844 } : { width: 1280, height: 844 })
      await page.goto(server.url + path)
      await page.getByRole('textbox', { name: 'Token' }).fill(admin)
      await page.getByRole('button', { name: 'Log in with a token' }).click()
      await expect(page.locator(ready).first()).toBeVisible()
      const check = async (name: string) => {
        await scheme(page, 'light')
        expect.soft(await violations(page), name).toEqual([])
        await scheme(page, 'dark')
        expect.soft(await violations(page, 'color-contrast'), `${name}, dark`).toEqual([])
      }
      await check('as it is')
      // While something is open, axe takes what lies behind a control for its neighbour.
      expect.soft(await violations(page, 'target-size'), 'target-size').toEqual([])
      for (const { name, open, shown, stays } of openings) {
        await open(page)
        await page.mouse.move(0, 0) // no tooltip
        await expect(shown(page), name).toBeVisible()
        await check(name)
        await page.keyboard.press('Escape')
        if (stays !== true) await expect(shown(page), name).toBeHidden()
      }
    },
  )
