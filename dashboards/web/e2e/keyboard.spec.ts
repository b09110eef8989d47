import type { Locator, Page } from '@playwright/test'
import { filters } from './filters'
import { searchedUntil } from './searching'
import { spend } from './spending'
import { expect, test } from './test'

test.use({ contextOptions: { reducedMotion: 'reduce' } })

/** What the Tab key came to. */
interface Stop {
  /** What it is, for people. */
  name: string
  /** Why it is not as it should be; "" if it is. */
  flaw: string
}

/** Marks what the keyboard must be able to reach, and returns the names of what it never can. */
function unreachable(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    // Inside of these, keys other than Tab lead on.
    const led = '[role="tablist"], [role="treegrid"], [role="grid"], [role="rowgroup"], [role="menu"]'
    const wanted =
      'a[href], button:not(:disabled), input:not([type="hidden"]), select, textarea, [role="slider"]'
    const lost: string[] = []
    for (const element of document.querySelectorAll<HTMLElement>(wanted)) {
      if (!element.checkVisibility() || element.closest('[aria-hidden="true"]') !== null) continue
      if (element instanceof HTMLInputElement && element.type === 'radio' && !element.checked) continue
      if (element.tabIndex >= 0) element.dataset['wanted'] = ''
      else if (element.closest(led) === null) lost.push(element.outerHTML.slice(0, 160))
    }
    return lost
  })
}

/** Looks at what has the focus: null if nothing has, or if it was come to before. */
function look(page: Page): Promise<Stop | null> {
  return page.evaluate(async () => {
    // What it looks like with the focus is there with the next picture, and once it has moved there.
    for (let i = 0; i < 2; i++) await new Promise(requestAnimationFrame)
    const moves = document.getAnimations().filter((one) => one instanceof CSSTransition)
    await Promise.allSettled(moves.map(({ finished }) => finished))
    const element = document.activeElement
    if (!(element instanceof HTMLElement) || element === document.body) return null
    if (element.dataset['walked'] !== undefined) return null
    element.dataset['walked'] = ''
    delete element.dataset['wanted']
    const name = `${element.tagName.toLowerCase()} ${element.ariaLabel ?? element.textContent.trim().slice(0, 40)}`
    // What stands for it: of a switch's radio, which is not seen, its label.
    const seen = [element, ...('labels' in element ? ((element as HTMLInputElement).labels ?? []) : [])]
    if (element.role === 'slider') seen.unshift(...(element.children as HTMLCollectionOf<HTMLElement>)) // its knob
    const shown = seen.find((one) => {
      const { width, height } = one.getBoundingClientRect()
      return width > 1 && height > 1 && getComputedStyle(one).opacity !== '0'
    })
    const flaws: string[] = []
    if (element.tabIndex > 0) flaws.push('its tabindex changes the order')
    const box = (shown ?? element).getBoundingClientRect()
    // What is taller than what scrolls around it is centred there, so that its top is out of sight.
    const pane = element.closest<HTMLElement>('[role="tabpanel"]')?.getBoundingClientRect()
    const top = pane !== undefined && box.height > pane.height ? Math.max(box.top, pane.top) : box.top
    const y = top + Math.min(box.height / 2, 12)
    const points = [0.5, 0.1, 0.9].map((part) => box.left + box.width * part)
    const there = points.map((x) => document.elementFromPoint(x, y))
    if (box.top < 0 || y > innerHeight || box.right < 8 || box.left > innerWidth - 8)
      flaws.push('it is out of sight')
    else if (!there.some((at) => at !== null && seen.some((one) => one.contains(at) || at.contains(one))))
      flaws.push(`it is covered by ${there[0]?.outerHTML.slice(0, 80) ?? 'nothing'}`)
    // A ring, on itself, around it, in it, or on what stands for it.
    const rings = (one: Element, pseudo?: string) => {
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(one, pseudo)
      return (
        (outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1) ||
        (pseudo === undefined && boxShadow !== 'none')
      )
    }
    const near = [
      ...seen,
      ...seen.map((one) => one.parentElement),
      ...element.children,
      element.nextElementSibling,
      element.closest('[role="row"]'),
    ].filter((one) => one !== null)
    const bordered = element.matches('input, select, textarea') // whose border takes the colour of the focus
    if (!bordered && !near.some((one) => rings(one) || rings(one, '::before')))
      flaws.push('nothing shows the focus')
    return { name, flaw: flaws.join(', ') }
  })
}

/** Goes through a page with the Tab key until it comes to its end. */
async function walk(page: Page): Promise<Stop[]> {
  const stops: Stop[] = []
  await page.getByRole('link', { name: 'Skip to the page' }).focus()
  const first = await look(page)
  if (first !== null) stops.push(first)
  for (let i = 0; i < 400; i++) {
    await page.keyboard.press('Tab')
    const stop = await look(page)
    if (stop === null) return stops
    stops.push(stop)
  }
  throw new Error(
    `no end after ${stops.length} stops; the last were ${stops
      .slice(-5)
      .map(({ name }) => name)
      .join('; ')}`,
  )
}

const session = (tab: string) => (page: Page) => page.getByRole('tab', { name: tab }).press('Enter')

/** Goes to the totals, and waits for the chart, which moves what is below it. */
const totals = async (page: Page) => {
  await session('Totals')(page)
  await expect(
    page.getByRole('region', { name: 'Cost over time' }).locator('canvas, svg').first(),
  ).toBeVisible()
}

const pages: readonly { path: string; ready: string; then?: (page: Page) => Promise<void> }[] = [
  { path: '/', ready: 'a[href="/sessions/demo"]' },
  { path: '/sessions/demo', ready: '[role="treegrid"]' },
  { path: '/sessions/demo', ready: '[role="treegrid"]', then: session('Frames') },
  { path: '/sessions/demo', ready: '[role="treegrid"]', then: totals },
  { path: '/usage?from=now-24h', ready: 'tfoot' },
  { path: '/tools?from=now-24h&q=demo', ready: 'tfoot' },
  { path: '/calls?from=now-24h&q=demo', ready: 'tfoot' },
  { path: '/search?q=build', ready: 'main mark' },
  { path: '/compare', ready: '[aria-label="Sessions"] a' },
  { path: '/compare?a=demo&b=demo', ready: 'main [data-ready]' },
  { path: '/record', ready: 'h1' },
]

for (const [size, width] of [
  ['wide', 1280],
  ['narrow', 390],
] as const)
  test(`the Tab key leads through every page, ${size}`, { tag: '@long' }, async ({ page }) => {
    test.slow()
    await page.setViewportSize({ width, height: 844 })
    for (const [i, { path, ready, then }] of pages.entries()) {
      if (width === 390 && ready === '[role="treegrid"]') {
        await page.goto(path)
        await expect(page.getByRole('log', { name: 'Conversation' })).toContainText('It is safe to release.')
      } else {
        await page.goto(path)
        await searchedUntil(page, page.locator(ready).first())
      }
      await then?.(page)
      await page.waitForLoadState('networkidle', { timeout: 2000 }).catch(() => undefined)
      expect.soft(await unreachable(page), `${i} ${path}`).toEqual([])
      const stops = await walk(page)
      expect.soft(stops.length).toBeGreaterThan(6)
      expect
        .soft(
          stops.filter(({ flaw }) => flaw !== ''),
          `${i} ${path}`,
        )
        .toEqual([])
      const left = await page.evaluate(() =>
        [...document.querySelectorAll('[data-wanted]')].map((one) => one.outerHTML.slice(0, 160)),
      )
      expect.soft(left, `${i} ${path}`).toEqual([])
    }
  })

test('dialogs keep the focus and return it', { tag: '@long' }, async ({ page }) => {
  const focused = () => page.evaluate(() => document.activeElement?.closest('[role="dialog"]') !== null)
  await page.goto('/')
  const menu = filters(page).getByRole('button', { name: 'Filter', exact: true })
  for (const name of ['Time', 'Status', 'Tool', 'Duration', '']) {
    const button = name === '' ? filters(page).getByRole('button', { name: 'Columns' }) : menu
    await button.press('Enter')
    if (name !== '') {
      await expect(page.getByRole('combobox', { name: 'Filters' })).toBeFocused()
      await page.keyboard.type(name)
      await page.keyboard.press('Enter')
    }
    await expect.poll(focused, `${name} takes the focus`).toBe(true)
    for (let i = 0; i < 25; i++) {
      await page.keyboard.press(i < 20 ? 'Tab' : 'Shift+Tab')
      expect(await focused(), `${name} after ${i} times Tab`).toBe(true)
    }
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await expect(button).toBeFocused()
  }

  await page.goto('/sessions/demo')
  const moment = page.getByRole('slider', { name: 'Moment' })
  await moment.focus()
  await page.keyboard.press('?')
  const help = page.getByRole('dialog', { name: 'Keys' })
  await expect(help).toBeVisible()
  await expect(help.getByRole('button', { name: 'Close' })).toBeFocused()
  for (let i = 0; i < 5; i++) {
    await page.keyboard.press('Tab')
    expect(await focused(), `Keys after ${i} times Tab`).toBe(true)
  }
  await page.keyboard.press('Escape')
  await expect(help).toHaveCount(0)
  await expect(moment).toBeFocused()

  const speed = page.getByRole('button', { name: 'Speed: 1×' })
  await speed.press('Enter')
  // The menu takes the focus in a later task than the one that shows it.
  await expect(page.getByRole('menuitem', { name: '1×', exact: true })).toBeFocused()
  await page.keyboard.press('ArrowUp')
  await expect(page.getByRole('menuitem', { name: '1.5×' })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('menu')).toHaveCount(0)
  await expect(speed).toBeFocused()
})

/** Presses the Tab key until an element has the focus, and checks that it is in the viewport. Fails after `most` times. */
async function tabTo(page: Page, target: Locator, most = 80): Promise<void> {
  await expect(target.first()).toBeVisible() // what is still being loaded cannot be come to
  for (let i = 0; i < most; i++) {
    await page.keyboard.press('Tab')
    if (!(await target.first().evaluate((element) => element === document.activeElement))) continue
    await expect(target.first()).toBeInViewport()
    return
  }
  throw new Error(`not reached with ${most} times Tab: ${target.toString()}`)
}

/** Goes to something with the Tab key and presses Enter there. */
async function enter(page: Page, target: Locator, most?: number): Promise<void> {
  await tabTo(page, target, most)
  await page.keyboard.press('Enter')
}

/** Waits until one of the demo's sessions has ended: it is recorded while the server is starting. */
const demoEnded = (page: Page, id: string) =>
  expect
    .poll(
      async () =>
        ((await (await page.request.get(`/v1/sessions/${id}`)).json()) as { status?: string }).status,
    )
    .toMatch(/^(ok|error)$/)

test('by keyboard alone: the failed session, and the call that failed', async ({ page }) => {
  await demoEnded(page, 'demo-release-failed')
  const answer = await page.request.get('/v1/sessions/demo-release-failed')
  const { started } = (await answer.json()) as { started: string }
  await page.clock.setFixedTime(started) // for the page it is the day on which the demo was recorded
  await page.goto('/')
  const list = page.getByRole('table', { name: 'Sessions' })
  await expect(list.getByRole('link').first()).toBeVisible()
  // The first stop leads past the head of the page.
  await page.keyboard.press('Tab')
  await expect(page.getByRole('link', { name: 'Skip to the page' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.locator('main')).toBeFocused()
  const views = page.getByRole('button', { name: /^Views/ })
  await enter(page, views, 2)
  await enter(page, page.getByRole('link', { name: 'Failed today' }), 12)
  await expect(page).toHaveURL(/status=error/)
  await expect(views).toBeFocused() // the panel is gone
  const failed = list.locator('a[href="/sessions/demo-release-failed"]')
  await expect(list.getByRole('link')).toHaveCount(1)
  await enter(page, failed, 30)
  await expect(page).toHaveURL(/\/sessions\/demo-release-failed/)
  await expect(page.locator('main header').first()).toContainText('TestRefund fails')

  const spans = page.getByRole('treegrid', { name: 'Spans' })
  await tabTo(page, spans)
  const selected = spans.locator('[aria-selected="true"]')
  for (let i = 0; i < 20 && !(await selected.allTextContents()).join('').startsWith('Bash'); i++)
    await page.keyboard.press('ArrowDown')
  await expect(selected).toContainText('make test')
  await page.keyboard.press('Enter')
  const call = page.getByRole('complementary', { name: 'Tool call Bash' })
  await expect(call).toContainText('TestRefund')
  await tabTo(page, call.getByRole('button', { name: 'Close the details' }), 3)
  await page.keyboard.press('Tab')
  await page.keyboard.press('Escape')
  await expect(call).toHaveCount(0)
  await expect(spans).toBeFocused()
})

test(
  'by keyboard alone: the costliest customer, and one of its sessions',
  { tag: '@long' },
  async ({ page, baseURL }) => {
    const call = { model: 'claude-sonnet-4-5', input: 100_000, output: 1000 }
    const now = Date.now() - 60_000
    await spend(baseURL ?? '', 'keys-dear', now, [call, call], ['customer=keys-acme'])
    await spend(baseURL ?? '', 'keys-cheap', now, [{ ...call, input: 10 }], ['customer=keys-globex'])
    await page.goto('/usage?from=now-24h&group_by=tag%3Acustomer')
    const table = page.getByRole('region', { name: 'Usage table' })
    const dearest = table.getByRole('row').nth(1)
    await expect(dearest).toContainText('keys-acme')
    await enter(page, dearest.getByRole('link').last())
    await expect(page).toHaveURL(/tag=customer/)
    await enter(page, page.getByRole('table', { name: 'Sessions' }).locator('a[href="/sessions/keys-dear"]'))
    await expect(page).toHaveURL('/sessions/keys-dear')
  },
)

test('by keyboard alone: a row of a bill, and its frame', { tag: '@long' }, async ({ page, baseURL }) => {
  const month = new Date()
  month.setUTCDate(0)
  const at = month.getTime() - 20 * 86_400_000
  await spend(baseURL ?? '', 'keys-billed', at, [{ model: 'claude-haiku-4-5', input: 10_000, output: 1000 }])
  await page.goto(`/bills?account=tenant&period=${new Date(at).toISOString().slice(0, 7)}`)
  const line = page.getByRole('button', { name: 'Charges of claude-haiku-4-5, input tokens' })
  await enter(page, line)
  await enter(
    page,
    page.getByRole('region', { name: /^Charges of/ }).getByRole('link', { name: 'keys-billed' }),
    12,
  )
  await expect(page).toHaveURL(/\/sessions\/keys-billed\?t=/)
  // Of the tabs the chosen one is a stop; the arrows go to the others.
  await tabTo(page, page.getByRole('tab', { selected: true }))
  const tab = page.getByRole('tab', { name: 'Frames' })
  for (let i = 0; i < 8 && !(await tab.evaluate((one) => one === document.activeElement)); i++)
    await page.keyboard.press('ArrowRight')
  await expect(tab).toHaveAttribute('aria-selected', 'true')
  const frames = page.getByRole('grid', { name: 'Frames' })
  await tabTo(page, frames, 20)
  await page.keyboard.press('End')
  const frame = page.getByRole('complementary', { name: 'The frame' })
  await tabTo(page, frame.getByRole('button', { name: /^Close/ }), 12)
  await page.keyboard.press('Enter')
  await expect(frame).toHaveCount(0)
  await expect(frames).toBeFocused()
})

test('by keyboard alone: a failed session beside the last good one', { tag: '@long' }, async ({ page }) => {
  for (const id of ['demo-release', 'demo-release-failed']) await demoEnded(page, id)
  await page.goto('/sessions/demo-release-failed')
  await enter(page, page.getByRole('link', { name: 'Compare with the last good run' }))
  await expect(page).toHaveURL(/a=demo-release&b=demo-release-failed/)
  await expect(page.getByText(/^The same for \d+ steps/)).toBeVisible()
  await page.keyboard.press('n')
  const row = page.locator('main button:focus')
  await expect(row).toHaveAttribute('aria-expanded', 'false')
  await page.keyboard.press('Enter')
  await expect(row).toHaveAttribute('aria-expanded', 'true')
  await enter(page, page.getByRole('button', { name: 'Play both', exact: true }))
  await expect(page.getByRole('region', { name: 'Both sessions on one clock' })).toBeVisible()
})

test('by keyboard alone: play, go to a moment, and share it', { tag: '@long' }, async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto('/sessions/demo?t=1')
  const moment = page.getByTestId('moment')
  await expect(moment).toHaveAttribute('data-ms', '1000')
  await expect(page.getByRole('treegrid', { name: 'Spans' })).toBeVisible()
  await enter(page, page.getByRole('button', { name: 'Play', exact: true }), 120)
  await expect.poll(async () => Number(await moment.getAttribute('data-ms'))).toBeGreaterThan(1000)
  await page.keyboard.press('Enter')
  await tabTo(page, page.getByRole('slider', { name: 'Moment' }), 150)
  await page.keyboard.press('Home')
  await expect(moment).toHaveAttribute('data-ms', '0')
  await page.keyboard.press('ArrowRight')
  await expect(moment).not.toHaveAttribute('data-ms', '0')
  const ms = Number(await moment.getAttribute('data-ms'))
  await enter(page, page.getByRole('button', { name: 'Copy a link to this moment' }), 150)
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain(`t=${ms / 1000}`)
})

test(
  'what opens takes the focus, and gives it back where it came from',
  { tag: '@long' },
  async ({ page, expectErrors }) => {
    expectErrors(/status of 409/) // of the protocols in which the demo cannot be emulated
    const dialog = page.getByRole('dialog')
    await page.goto('/sessions/demo')
    await expect(page.getByRole('treegrid', { name: 'Spans' })).toBeVisible()
    const menu = page.getByRole('button', { name: 'Session menu' })
    for (const name of ['Export…', 'Replay into my UI…', 'Emulate…', 'Decode again…', 'Delete…']) {
      await menu.focus()
      await page.keyboard.press('Enter')
      const item = page.getByRole('menuitem', { name })
      await expect(item).toBeVisible()
      for (let i = 0; i < 8 && !(await item.evaluate((one) => one === document.activeElement)); i++)
        await page.keyboard.press('ArrowDown')
      await expect(item).toBeFocused()
      await page.keyboard.press('Enter')
      await expect(dialog).toBeVisible()
      await expect(dialog.locator(':focus')).toHaveCount(1)
      await page.keyboard.press('Escape')
      await expect(dialog).toHaveCount(0)
      await expect(menu, name).toBeFocused()
    }
    const find = page.getByRole('button', { name: 'Find words in this session' })
    await find.press('Enter')
    await expect(page.getByRole('textbox', { name: 'Find in this session' })).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(find).toBeFocused()
    await page.keyboard.press('Control+k')
    await expect(page.getByRole('combobox', { name: 'Go to' })).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(dialog).toHaveCount(0)
    await expect(find).toBeFocused()
  },
)
