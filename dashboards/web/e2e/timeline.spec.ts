import { expect, test } from './test'

test.beforeEach(async ({ page }) => {
  await page.goto('/sessions/demo')
  await page.getByRole('tab', { name: 'Timeline' }).click()
})

test('a click on a bar goes to where it began and tells of it', async ({ page }) => {
  const rows = page.getByRole('treegrid', { name: 'Spans' }).getByRole('row')
  await expect(rows).toHaveCount(11)
  await rows.nth(8).getByRole('gridcell').last().click()
  const detail = page.getByRole('complementary', { name: 'Tool call read' })
  await expect(detail).toContainText('Running')
  await expect(detail).toContainText('call_91c0')
  await expect(page.getByRole('log', { name: 'Conversation' })).not.toContainText('no such file')
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
  await expect(page.getByRole('complementary', { name: 'Model call think' })).toContainText('Running')
  await grid.press('+')
  await expect(page.getByRole('button', { name: 'Show all' })).toBeVisible()
  await grid.press('-')
  await expect(page.getByRole('button', { name: 'Show all' })).toHaveCount(0)
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
  await page.getByRole('button', { name: 'Show all' }).click()
  await expect(page.getByRole('button', { name: 'Zoom out' })).toBeDisabled()
})
