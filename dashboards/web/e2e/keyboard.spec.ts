import type { Page } from '@playwright/test'
import { filters } from './filters'
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
        await expect(page.locator(ready).first()).toBeVisible()
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
  await expect(page.getByRole('menu')).toBeVisible()
  await page.keyboard.press('ArrowDown')
  await expect(page.getByRole('menuitem').first()).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('menu')).toHaveCount(0)
  await expect(speed).toBeFocused()
})
