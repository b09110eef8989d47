import { AxeBuilder } from '@axe-core/playwright'
import { expect, test } from './test'

// A colour that is fading in has another contrast.
test.use({ contextOptions: { reducedMotion: 'reduce' } })

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
  {
    path: `/bills?account=tenant&period=${new Date().toISOString().slice(0, 7)}`,
    ready: '[aria-label="Lines"]',
  },
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
  { path: '/record', ready: 'h1' },
]

for (const scheme of ['light', 'dark'] as const)
  for (const [size, width] of [
    ['wide', 1280],
    ['narrow', 390],
  ] as const)
    for (const { path, ready } of pages)
      test(`axe finds nothing serious, ${scheme} and ${size}: ${path}`, async ({ page }) => {
        await page.emulateMedia({ colorScheme: scheme })
        await page.setViewportSize({ width, height: 844 })
        await page.goto(path)
        await expect(page.locator(ready).first()).toBeVisible()
        const { violations } = await new AxeBuilder({ page }).analyze()
        const serious = violations
          .filter(({ impact }) => impact === 'serious' || impact === 'critical')
          .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join('\n  ')}`)
        expect(serious).toEqual([])
      })

test('axe finds nothing serious in an open filter', async ({ page }) => {
  await page.goto('/')
  for (const name of ['Time', 'Tool', 'Duration']) {
    await page.getByRole('group', { name: 'Filters' }).getByRole('button', { name, exact: true }).click()
    await expect(page.getByRole('dialog', { name })).toBeVisible()
    const { violations } = await new AxeBuilder({ page }).analyze()
    expect
      .soft(
        violations
          .filter(({ impact }) => impact === 'serious' || impact === 'critical')
          .map(({ id, nodes }) => [id, nodes[0]?.html]),
        name,
      )
      .toEqual([])
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog', { name })).toHaveCount(0)
  }
})

for (const scheme of ['light', 'dark'] as const)
  test(`axe finds nothing serious in a session's menu, its dialogs and its search, ${scheme}`, async ({
    page,
  }) => {
    await page.emulateMedia({ colorScheme: scheme })
    await page.goto('/sessions/demo')
    const serious = async (part: string) =>
      (await new AxeBuilder({ page }).include(part).analyze()).violations
        .filter(({ impact }) => impact === 'serious' || impact === 'critical')
        .map(({ id, nodes }) => [id, nodes[0]?.html])
    await page.getByRole('button', { name: 'Find words in this session' }).click()
    await page.getByRole('textbox', { name: 'Find in this session' }).fill('build')
    await page.keyboard.press('Enter')
    expect.soft(await serious('body'), 'search').toEqual([])
    for (const name of ['Export…', 'Replay address…', 'Decode again…', 'Delete…']) {
      await page.getByRole('button', { name: 'Session menu' }).click()
      await expect(page.getByRole('menuitem', { name })).toBeVisible()
      if (name === 'Delete…') expect.soft(await serious('[role="menu"]'), 'menu').toEqual([])
      await page.getByRole('menuitem', { name }).click()
      await expect(page.getByRole('dialog')).toBeVisible()
      expect.soft(await serious('[role="dialog"]'), name).toEqual([])
      await page.keyboard.press('Escape')
      await expect(page.getByRole('dialog')).toHaveCount(0)
    }
  })
