import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { pickFilter } from './filters'
import { searchedUntil } from './searching'
import { settled } from './settled'
import { expect, test } from './test'

// A colour that is fading in has another contrast.
test.use({ contextOptions: { reducedMotion: 'reduce' } })

/** The page of a bill, without its period. */
const bill = '/bills?account=tenant'

const pages = [
  { path: '/', ready: 'a[href="/sessions/demo"]' },
  { path: '/?q=nothing-is-called-so', ready: 'text=No session is like that' },
  { path: '/sessions/demo', ready: 'h1' },
  { path: '/sessions/demo?tab=totals', ready: '[aria-label="Model calls"]' },
  { path: '/usage?from=now-24h', ready: 'tfoot' },
  { path: '/usage?from=now-24h&findings=1&as_of=2026-05-01&what_if_model=gpt-5', ready: 'tfoot' },
  { path: '/?findings=1', ready: 'a[href="/sessions/demo"]' },
  { path: '/usage/reconciliation', ready: 'main [data-ready]' },
  { path: '/retention', ready: 'h1' },
  { path: '/bills', ready: '[aria-label="Periods of accounts"]' },
  { path: bill, ready: '[aria-label="Lines"]' },
  { path: '/prices', ready: 'text=Effective table' },
  { path: '/prices?provider=anthropic&id=claude-sonnet-4-5', ready: 'text=Rules that may hold' },
  { path: '/tools?from=now-24h', ready: 'tfoot' },
  { path: '/calls?from=now-24h', ready: 'tfoot' },
  { path: '/search', ready: 'h1' },
  { path: '/search?q=build', ready: 'main mark' },
  { path: '/search?q=nothing-is-called-so', ready: 'main [data-ready]' },
  { path: '/compare', ready: '[aria-label="Sessions"] a' },
  { path: '/compare?a=demo&b=demo', ready: 'main [data-ready]' },
  { path: '/audit', ready: '[aria-label="Entries"]' },
  { path: '/tag?tag=demo:yes', ready: '[aria-label="Latest sessions"]' },
  { path: '/record', ready: 'h1' },
]

/**
 * The pages whose layout a narrow screen changes: the list of sessions becomes a list of cards and its page one column,
 * a session shows one of its views at a time, the filters of a report scroll sideways, the searched sessions and a
 * comparison are one column, and so is the page about recording. The layout of the others stays: their tables scroll.
 */
const changed = [
  '/',
  '/sessions/demo',
  '/usage?from=now-24h',
  '/search?q=build',
  '/compare',
  '/compare?a=demo&b=demo',
  '/record',
]

/** Looked at by every change; the others by the long tests. */
const often = ['/', '/sessions/demo']

const wide = { width: 1280, height: 844 }
const narrow = { width: 390, height: 844 }

// These tests change nothing on the server.
test.describe.configure({ mode: 'parallel' })

/** The violations that matter, in a part of the page if one is named, of all rules or of one. */
async function serious(page: Page, { part, rule }: { part?: string; rule?: string } = {}): Promise<string[]> {
  let axe = new AxeBuilder({ page })
  if (part !== undefined) axe = axe.include(part)
  if (rule !== undefined) axe = axe.withRules(rule)
  const { violations } = await axe.analyze()
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join('\n  ')}`)
}

/** Opens a page, and waits until it is ready. */
async function open(page: Page, path: string, ready: string) {
  await page.goto(path === bill ? `${bill}&period=${await lastPeriod(page)}` : path)
  await searchedUntil(page, page.locator(ready).first())
}

/** The last month with usage, such as that of the demo. */
async function lastPeriod(page: Page): Promise<string> {
  const answer = await page.request.get(`/v1/bills?account=tenant`)
  const [last] = ((await answer.json()) as { items: { period: string }[] }).items
  if (last === undefined) throw new Error('no month has usage')
  return last.period
}

/** Switches to dark, which changes only colours, and waits for the transitions of colours: some ignore reduced motion. */
async function darken(page: Page) {
  await page.emulateMedia({ colorScheme: 'dark' })
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark')
  await settled(page)
}

for (const { path, ready } of pages) {
  const details = often.includes(path) ? {} : { tag: '@long' }
  test(`axe finds nothing serious: ${path}`, details, async ({ page }) => {
    await page.emulateMedia({ colorScheme: 'light' })
    await page.setViewportSize(wide)
    await open(page, path, ready)
    expect.soft(await serious(page), 'light').toEqual([])
    await darken(page)
    expect.soft(await serious(page, { rule: 'color-contrast' }), 'dark').toEqual([])
    await page.setViewportSize(narrow)
    await expect(page.locator(ready).first()).toBeVisible()
    expect.soft(await serious(page, { rule: 'scrollable-region-focusable' }), 'narrow').toEqual([])
  })

  if (changed.includes(path))
    test(`axe finds nothing serious, narrow: ${path}`, details, async ({ page }) => {
      await page.emulateMedia({ colorScheme: 'light' })
      await page.setViewportSize(narrow)
      await open(page, path, ready)
      expect.soft(await serious(page), 'light').toEqual([])
      await darken(page)
      expect.soft(await serious(page, { rule: 'color-contrast' }), 'dark').toEqual([])
    })
}

test('axe finds nothing serious in an open filter', { tag: '@long' }, async ({ page }) => {
  await page.goto('/')
  for (const name of ['Time', 'Tool', 'Duration']) {
    await expect(await pickFilter(page, name)).toBeVisible()
    expect.soft(await serious(page), name).toEqual([])
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog', { name })).toHaveCount(0)
  }
})

test(
  'axe finds nothing serious in menus of the list, and in the palette',
  { tag: '@long' },
  async ({ page }) => {
    await page.goto('/?status=ok&tool=bash')
    await expect(page.locator('a[href="/sessions/demo"]')).toBeVisible()
    for (const name of ['Filter', 'Views', 'Columns']) {
      await page.getByRole('button', { name, exact: true }).click()
      await expect(page.getByRole('dialog', { name })).toBeVisible()
      expect.soft(await serious(page), name).toEqual([])
      await page.keyboard.press('Escape')
    }
    await page.keyboard.press('Control+k')
    await expect(page.getByRole('combobox', { name: 'Go to' })).toBeVisible()
    expect.soft(await serious(page), 'palette').toEqual([])
  },
)

for (const scheme of ['light', 'dark'] as const)
  test(
    `axe finds nothing serious in a session's menu, its dialogs and its search, ${scheme}`,
    { tag: '@long' },
    async ({ page }) => {
      const rule = scheme === 'dark' ? { rule: 'color-contrast' } : {}
      await page.emulateMedia({ colorScheme: scheme })
      await page.goto('/sessions/demo')
      await page.getByRole('button', { name: 'Find words in this session' }).click()
      await page.getByRole('textbox', { name: 'Find in this session' }).fill('build')
      await page.keyboard.press('Enter')
      expect.soft(await serious(page, rule), 'search').toEqual([])
      for (const name of ['Export…', 'Replay into my UI…', 'Decode again…', 'Delete…']) {
        await page.getByRole('button', { name: 'Session menu' }).click()
        await expect(page.getByRole('menuitem', { name })).toBeVisible()
        if (name === 'Delete…')
          expect.soft(await serious(page, { part: '[role="menu"]', ...rule }), 'menu').toEqual([])
        await page.getByRole('menuitem', { name }).click()
        await expect(page.getByRole('dialog')).toBeVisible()
        expect.soft(await serious(page, { part: '[role="dialog"]', ...rule }), name).toEqual([])
        await page.keyboard.press('Escape')
        await expect(page.getByRole('dialog')).toHaveCount(0)
      }
    },
  )
