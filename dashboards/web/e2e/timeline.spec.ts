import type { Page } from '@playwright/test'
import { expect, test } from './test'

test.beforeEach(async ({ page }) => {
  await page.goto('/sessions/demo')
  await page.getByRole('tab', { name: 'Timeline' }).click()
})

interface Span {
  kind: string
  name: string
  start_ms: number
  duration_ms: number
  children: Span[]
}

/** The first call of a tool in the demo. Its times are other ones in each recording of the demo. */
async function demoCall(page: Page, tool: string): Promise<Span> {
  const answer = await page.request.get('/v1/sessions/demo/timeline')
  const flat = (spans: Span[]): Span[] => spans.flatMap((span) => [span, ...flat(span.children)])
  const spans = flat(((await answer.json()) as { spans: Span[] }).spans)
  const call = spans.find(({ kind, name }) => kind === 'tool' && name === tool)
  if (call === undefined) throw new Error(`the demo has no call of ${tool}`)
  return call
}

const moment = async (page: Page) => Number(await page.getByTestId('moment').getAttribute('data-ms'))

test('a click on a bar goes to where it was, and shows all of the span whatever the moment is', async ({
  page,
}) => {
  const rows = page.getByRole('treegrid', { name: 'Spans' }).getByRole('row')
  await expect(rows).toHaveCount(11)
  const bar = rows.nth(4).locator('[data-kind="tool"]').last()
  const box = await bar.boundingBox()
  if (box === null) throw new Error('the bar is not there')
  await bar.click({ position: { x: box.width * 0.5, y: box.height / 2 } })
  const { start_ms, duration_ms } = await demoCall(page, 'bash')
  const middle = start_ms + duration_ms / 2
  await expect.poll(async () => Math.abs((await moment(page)) - middle)).toBeLessThan(duration_ms * 0.15)
  await expect(page.getByRole('log', { name: 'Conversation' })).not.toContainText('exit status 0')
  const detail = page.getByRole('complementary', { name: 'Tool call bash' })
  await expect(detail).toContainText('OK')
  await expect(detail).not.toContainText('Running')
  await expect(detail.getByRole('region', { name: 'Arguments' })).toContainText('grep -n -A4 FAIL')
  await expect(detail.getByRole('region', { name: 'Result' })).toContainText('TestRenewLease')
  await expect(detail.getByRole('region', { name: 'Result' })).toContainText('exit status 0')
  await detail.getByRole('button', { name: 'Show the frames' }).click()
  await expect(detail.getByRole('region', { name: 'Frames' })).toContainText('tool_output')
})

test('a click on a line selects it, and leaves the moment', async ({ page }) => {
  const rows = page.getByRole('treegrid', { name: 'Spans' }).getByRole('row')
  await expect(rows).toHaveCount(11)
  const before = await moment(page)
  await rows.nth(8).getByText('read').click()
  const detail = page.getByRole('complementary', { name: 'Tool call read' })
  await expect(detail).toContainText('Error')
  await expect(detail).toContainText('no such file')
  expect(await moment(page)).toBe(before)
  await rows.nth(2).getByRole('gridcell').first().click()
  const model = page.getByRole('complementary', { name: /^Model call/ })
  await expect(model.getByRole('region', { name: 'Input' })).toContainText("Why did last night's build fail")
  await expect(model.getByRole('region', { name: 'Output' })).toContainText('Let me look at the build log.')
})

test('goes by keyboard alone: rows, folding, seeking, zooming', async ({ page }) => {
  const grid = page.getByRole('treegrid', { name: 'Spans' })
  await grid.focus()
  await grid.press('ArrowDown')
  await expect(grid.getByRole('row', { selected: true })).toContainText('react')
  await grid.press('ArrowLeft')
  await expect(grid.getByRole('row')).toHaveCount(1)
  await grid.press('ArrowRight')
  await expect(grid.getByRole('row')).toHaveCount(11)
  await grid.press('End')
  await expect(grid.getByRole('row', { selected: true })).toHaveAttribute('aria-rowindex', '11')
  await grid.press('Enter')
  await expect(page.getByRole('complementary', { name: /^Model call/ })).toContainText('OK')
  await grid.press('+')
  await expect(page.getByRole('button', { name: 'Whole run' })).toBeVisible()
  await grid.press('-')
  await grid.press('a')
  await expect(page.getByRole('button', { name: 'Whole run' })).toHaveCount(0)
  await grid.press('Escape')
  await expect(page.getByRole('complementary')).toHaveCount(0)
})

test('the playhead stays in sight while the rows are scrolled', async ({ page }) => {
  const rows = page.getByRole('treegrid', { name: 'Spans' })
  const seen = await page.getByTestId('playhead').boundingBox()
  const scrolled = await rows.evaluate((grid) => {
    // Taller than what there is room for, so that it scrolls.
    grid.style.height = '5000px'
    grid.parentElement?.scrollTo(0, 2000)
    return grid.parentElement?.scrollTop
  })
  expect(scrolled).toBe(2000)
  await expect.poll(async () => page.getByTestId('playhead').boundingBox()).toEqual(seen)
})

test('a drag over the small map shows what it spans, and its frame is dragged on', async ({ page }) => {
  const map = page.getByTestId('minimap')
  const box = await map.boundingBox()
  if (box === null) throw new Error('the map is not there')
  const drag = async (from: number, to: number) => {
    await page.mouse.move(box.x + box.width * from, box.y + 10)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width * to, box.y + 10, { steps: 3 })
    await page.mouse.up()
  }
  // A quarter of the session, whose length depends on how quickly it was recorded.
  const part = async () => {
    const [, shown, whole] =
      /11 spans · ([\d.]+) s of ([\d.]+) s/.exec((await page.getByRole('main').textContent()) ?? '') ?? []
    return Number(shown) / Number(whole)
  }
  await drag(0.1, 0.35)
  await expect.poll(part).toBeCloseTo(0.25, 1)
  const before = await page.getByTestId('axis').textContent()
  await drag(0.2, 0.5)
  await expect.poll(part).toBeCloseTo(0.25, 1)
  await expect.poll(() => page.getByTestId('axis').textContent()).not.toBe(before)
  await page.getByRole('treegrid', { name: 'Spans' }).press('a')
  await expect(page.getByRole('button', { name: 'Whole run' })).toHaveCount(0)
})

test('a drag over the axis zooms, a click on it seeks', async ({ page }) => {
  const axis = page.getByTestId('axis')
  const box = await axis.boundingBox()
  if (box === null) throw new Error('the axis is not there')
  await axis.click({ position: { x: box.width / 2, y: 5 } })
  await expect(page.getByTestId('playhead')).toHaveAttribute('style', /translateX\((49|50)(\.\d+)?%\)/)
  await page.mouse.move(box.x + box.width * 0.25, box.y + 10)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width * 0.5, box.y + 10)
  await page.mouse.up()
  await page.getByRole('button', { name: 'Whole run' }).click()
  await expect(page.getByRole('button', { name: 'Zoom out' })).toBeDisabled()
})
