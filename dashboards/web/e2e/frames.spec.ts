import { longRun } from './longrun'
import { ended } from './recording'
import { expect, test } from './test'

test.beforeEach(async ({ page }) => {
  await page.goto('/sessions/demo')
  await page.getByRole('tab', { name: 'Frames' }).click()
})

test('lists the frames, the one of the moment in sight', async ({ page, request }) => {
  const answer = await request.get('/v1/sessions/demo/frames/index')
  const { total } = (await answer.json()) as { total: number }
  const grid = page.getByRole('grid', { name: 'Frames' })
  await expect(grid).toHaveAttribute('aria-rowcount', String(total))
  const now = grid.locator('[aria-current="time"]')
  await expect(now).toHaveAttribute('aria-rowindex', String(total))
  await expect(now).toContainText('run_end')
  await expect(now).toBeInViewport()
})

test('shows a frame pretty and to the byte', async ({ page, request }) => {
  const grid = page.getByRole('grid', { name: 'Frames' })
  const row = grid.getByRole('row').filter({ hasText: 'run_end' })
  await row.click()
  const frame = page.getByRole('complementary', { name: 'The frame' })
  await expect(frame.getByRole('group', { name: 'Frame content' })).toContainText('run_end')
  const listed = (await (await request.get('/v1/sessions/demo/frames?type=run_end')).json()) as {
    items: { position: string }[]
  }
  const whole = (await (
    await request.get(`/v1/sessions/demo/frames/${listed.items[0]?.position}`)
  ).json()) as {
    raw: string
  }
  const raw = Buffer.from(whole.raw, 'base64')
  await frame.getByText('Exact', { exact: true }).click()
  await expect(frame.getByLabel('The recorded bytes as text')).toHaveText(raw.toString())
  await frame.getByText('Hex', { exact: true }).click()
  await expect(frame.getByLabel('The recorded bytes as hexadecimal numbers')).toContainText(
    Array.from(raw.subarray(0, 16), (byte) => byte.toString(16).padStart(2, '0')).join(' '),
  )
})

test('lists one type, and goes where a row is', async ({ page }) => {
  await page.getByPlaceholder('All types').click()
  await page.getByRole('option', { name: 'tool_call (2)' }).click()
  await page.keyboard.press('Escape') // the list of types stays open over the rows, for more of them
  const grid = page.getByRole('grid', { name: 'Frames' })
  await expect(grid).toHaveAttribute('aria-rowcount', '2')
  await grid.locator('[aria-rowindex="1"]').click()
  await expect(grid.locator('[aria-current="time"]')).toHaveAttribute('aria-rowindex', '1')
  await expect(page.getByRole('log', { name: 'Conversation' })).not.toContainText('no such file')
})

test('goes where a row is that was chosen before its frame had come', { tag: '@long' }, async ({ page }) => {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(
    (url) => url.pathname === '/v1/sessions/demo/frames' && url.searchParams.has('type'),
    async (route) => {
      await released
      await route.continue()
    },
  )
  await page.getByPlaceholder('All types').click()
  await page.getByRole('option', { name: 'tool_call (2)' }).click()
  await page.keyboard.press('Escape')
  const grid = page.getByRole('grid', { name: 'Frames' })
  await expect(grid).toHaveAttribute('aria-rowcount', '2')
  const row = grid.locator('[aria-rowindex="1"]')
  await expect(row).toContainText('…')
  await row.click()
  release()
  await expect(row).toHaveAttribute('aria-current', 'time')
})

test(
  'Home and End go to the first and the last frame, of which only their pages are fetched',
  { tag: '@long' },
  async ({ page, request }) => {
    const total = 4000 // eight pages
    await request.post('/v1/ingest?session=frames-long', {
      headers: { 'Content-Type': 'application/x-ndjson' },
      data: longRun(total, 50),
    })
    await expect.poll(() => ended(request, 'frames-long')).toBe(true)
    await page.goto('/sessions/frames-long?tab=frames')
    const grid = page.getByRole('grid', { name: 'Frames' })
    await expect(grid).toHaveAttribute('aria-rowcount', String(total))
    await expect(grid.locator('[aria-current="time"]')).toHaveAttribute('aria-rowindex', String(total))
    const pages: string[] = []
    page.on('request', (asked) => {
      const { pathname, searchParams } = new URL(asked.url())
      if (pathname === '/v1/sessions/frames-long/frames') pages.push(searchParams.get('cursor') ?? 'first')
    })
    const chosen = grid.locator('[aria-selected="true"]')
    await grid.press('End') // the details of the frame take room from the list
    await expect(chosen).toHaveAttribute('aria-rowindex', String(total))
    await expect(page.getByRole('complementary', { name: 'The frame' })).toContainText('RUN_FINISHED')
    await expect(chosen).toBeInViewport()
    await grid.press('Home')
    await expect(chosen).toHaveAttribute('aria-rowindex', '1')
    await expect(chosen).toContainText('RUN_STARTED')
    await expect(chosen).toBeInViewport()
    await grid.press('End')
    await expect(chosen).toHaveAttribute('aria-rowindex', String(total))
    await expect(chosen).toContainText('RUN_FINISHED')
    await expect(chosen).toBeInViewport()
    expect(pages.length).toBeLessThanOrEqual(3)
  },
)
