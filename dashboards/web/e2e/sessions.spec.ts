import { AxeBuilder } from '@axe-core/playwright'
import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { filters, pickFilter } from './filters'
import { LiveRecording, record } from './recording'
import { spend } from './spending'
import { expect, test } from './test'

const rows = (page: Page) => page.getByRole('table').getByRole('link')

test(
  'a search finds a session, and the way back leads through it',
  { tag: '@long' },
  async ({ page, request }) => {
    await record(request, 'found-apple', [{ type: 'a' }], ['fruit:apple'])
    await record(request, 'found-pear', [{ type: 'a' }], ['fruit:pear'])
    await page.goto('/')
    await expect(page).toHaveTitle('Sessions · tapedeck')
    await expect(rows(page).filter({ hasText: 'found-pear' })).toBeVisible()
    await page.getByRole('searchbox').pressSequentially('FOUND-app')
    await expect(rows(page)).toHaveText(['found-apple'])
    await expect(page).toHaveURL('/?q=FOUND-app')
    await rows(page).first().click()
    await expect(page).toHaveURL('/sessions/found-apple')
    await page.goBack()
    await expect(page.getByRole('searchbox')).toHaveValue('FOUND-app')
    await expect(rows(page)).toHaveText(['found-apple'])
    await page.goBack()
    await expect(page).toHaveURL('/')
    await expect(page.getByRole('searchbox')).toHaveValue('')
    await expect(rows(page).filter({ hasText: 'found-pear' })).toBeVisible()
  },
)

test('filters stand in the address', async ({ page, request }) => {
  await record(request, 'no-tools', [{ type: 'a' }])
  await page.goto('/')
  await expect(rows(page).filter({ hasText: 'no-tools' })).toBeVisible()
  await (await pickFilter(page, 'Tool')).getByLabel('bash', { exact: true }).check()
  await page.keyboard.press('Escape')
  await expect(page).toHaveURL('/?tool=bash')
  await expect(filters(page).getByRole('button', { name: 'Tool: bash' })).toBeVisible()
  await expect(rows(page).filter({ hasText: 'no-tools' })).toHaveCount(0)
  await expect(page.locator('a[href="/sessions/demo"]')).toBeVisible()

  await pickFilter(page, 'Tokens')
  await page.getByLabel('At least').fill('1G')
  await expect(page.getByRole('button', { name: 'Apply' })).toBeDisabled()
  await page.getByLabel('At least').fill('900M')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL('/?min_tokens=900000000&tool=bash')
  await expect(page.getByText('No session is like that')).toBeVisible()
  await page.reload()
  await expect(filters(page).getByRole('button', { name: 'Tokens: ≥ 900M' })).toBeVisible()
  await page.goBack()
  await expect(page).toHaveURL('/?tool=bash')
  await expect(page.locator('a[href="/sessions/demo"]')).toBeVisible()
  await filters(page).getByRole('button', { name: 'Clear all' }).click()
  await expect(page).toHaveURL('/')
  await expect(rows(page).filter({ hasText: 'no-tools' })).toBeVisible()
})

test('the heads of columns order the list as the API does', { tag: '@long' }, async ({ page, request }) => {
  for (const [name, frames] of [
    ['order-1', 3],
    ['order-2', 1],
    ['order-3', 2],
  ] as const)
    await record(request, name, Array<unknown>(frames).fill({ type: 'a' }), ['suite:order'])
  await page.goto('/?tag=suite:order')
  await expect(rows(page)).toHaveText(['order-3', 'order-2', 'order-1'])
  const started = page.getByRole('columnheader', { name: 'Started' })
  await expect(started).toHaveAttribute('aria-sort', 'descending')
  await started.getByRole('button').click()
  await expect(rows(page)).toHaveText(['order-1', 'order-2', 'order-3'])
  await expect(started).toHaveAttribute('aria-sort', 'ascending')
  await page.getByRole('columnheader', { name: 'Duration' }).getByRole('button').click()
  await expect(page).toHaveURL('/?tag=suite%3Aorder&sort=-duration')
  const answer = await request.get('/v1/sessions?tag=suite:order&sort=-duration')
  const { items } = (await answer.json()) as { items: { id: string }[] }
  await expect(rows(page)).toHaveText(items.map(({ id }) => id))
})

test('sessions are listed, filtered and put in order by what they cost', async ({ page, baseURL }) => {
  const day = Date.UTC(2026, 4, 4, 10)
  // Prices of a million tokens: 3 and 15 dollars, 1 and 5.
  for (const [name, model, input, output] of [
    ['cost-cheap', 'claude-haiku-4-5', 1000, 100],
    ['cost-dear', 'claude-sonnet-4-5', 100_000, 1000],
    ['cost-unknown', 'claude-next-preview', 100_000, 1000],
  ] as const)
    await spend(baseURL ?? '', name, day, [{ model, input, output }], ['suite=cost'])
  await page.goto('/?tag=suite%3Acost&sort=-cost')
  await expect(rows(page)).toHaveCount(3)
  const cells = page.getByRole('table').getByRole('row')
  await expect(cells.nth(1)).toContainText('$0.315')
  await expect(cells.nth(1).getByTitle('0.315 USD')).toBeVisible()
  await expect(cells.nth(2)).toContainText('$0.0015')
  await expect(cells.nth(3).getByText('no price')).toHaveAttribute(
    'title',
    'No call has a price\n1 call of claude-next-preview: unknown model',
  )
  await page.getByRole('columnheader', { name: 'Cost' }).getByRole('button').click()
  await expect(page).toHaveURL('/?tag=suite%3Acost&sort=cost')
  await expect(cells.nth(3)).toContainText('$0.315')

  await pickFilter(page, 'Cost')
  await page.getByLabel('At least').fill('0.0015')
  await page.getByLabel('At most').fill('0.3')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL('/?min_cost=0.0015&max_cost=0.3&tag=suite%3Acost&sort=cost')
  await expect(rows(page)).toHaveCount(1)
  await expect(cells.nth(1)).toContainText('$0.0015')
})

test('a running session stands on top and counts', async ({ page, request, baseURL }) => {
  const live = await LiveRecording.begin(baseURL ?? '', 'counting')
  const row = page.getByRole('row').filter({ hasText: 'counting' })
  // A session without frames for 30 seconds does not run any more.
  let sent = 1
  const beat = setInterval(() => {
    live.send(1)
    sent++
  }, 1000)
  try {
    await record(request, 'later', [{ type: 'a' }])
    await page.goto('/')
    await expect(row.getByText('Running')).toBeVisible()
    await expect(rows(page).first()).toHaveText('counting')
  } finally {
    clearInterval(beat)
  }
  live.send(41)
  await expect(row.getByTitle(`${sent + 41} frames`)).toBeVisible()
  await live.end()
  await expect(row.getByText('OK')).toBeVisible()
})

test('Back comes to the place where the list was left', { tag: '@long' }, async ({ page, request }) => {
  for (let i = 0; i < 130; i++)
    await request.post(`/v1/ingest?session=place-${i}&dialect=generic&tag=of:place`, {
      headers: { 'Content-Type': 'application/x-ndjson' },
      data: `{"place":${i}}\n`,
    })
  await expect
    .poll(async () => {
      const answer = await request.get('/v1/sessions?tag=of:place&limit=200')
      return ((await answer.json()) as { items: unknown[] }).items.length
    })
    .toBe(130)
  await page.goto('/?tag=of%3Aplace')
  const scroller = page.getByRole('table', { name: 'Sessions' }).locator('..')
  await expect(page.locator('[data-row="0"]')).toBeVisible()
  // By pieces, as a wheel does: what is next is loaded meanwhile.
  await expect
    .poll(async () => {
      await scroller.evaluate((element) => element.scrollBy(0, 2000))
      return page.locator('[data-row="125"]').count()
    })
    .toBe(1)
  // A click scrolls to a row that is out of sight or below the heads of the columns: the list is left where neither
  // is the case.
  const row = page.locator('[data-row="120"]')
  await row.evaluate((element) => element.scrollIntoView({ block: 'center' }))
  const before = await scroller.evaluate((element) => element.scrollTop)
  await row.click()
  await expect(page).toHaveURL(/\/sessions\/place-/)
  await page.goBack()
  await expect.poll(() => scroller.evaluate((element) => element.scrollTop)).toBe(before)
  await page.reload()
  await expect.poll(() => scroller.evaluate((element) => element.scrollTop)).toBe(before)
  await page.getByRole('button', { name: 'Analytics' }).click()
  await page.getByRole('link', { name: 'Usage' }).click()
  await page.getByRole('link', { name: 'Sessions', exact: true }).click()
  await expect(page.locator('[data-row="0"]')).toBeVisible()
})

test('the arrow keys go through the rows', async ({ page, request }) => {
  await record(request, 'keys-1', [{ type: 'a' }], ['suite:keys'])
  await record(request, 'keys-2', [{ type: 'a' }], ['suite:keys'])
  await page.goto('/?tag=suite:keys&sort=started')
  await rows(page).first().focus()
  await page.keyboard.press('ArrowDown')
  await expect(rows(page).nth(1)).toBeFocused()
  await page.keyboard.press('Home')
  await expect(rows(page).first()).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL('/sessions/keys-1')
})

test('an address with invalid parameters shows the error', async ({ page, expectErrors }) => {
  expectErrors(/status of 400/)
  await page.goto('/?min_duration=soon')
  await expect(page.getByRole('alert')).toContainText('min_duration')
})

test(
  'columns are chosen, kept, and part of the address of a view',
  { tag: '@long' },
  async ({ page, request, browser, baseURL }) => {
    await record(request, 'column-1', [{ type: 'a' }], ['suite:columns'])
    await page.goto('/?tag=suite%3Acolumns')
    const heads = page.getByRole('columnheader')
    const usual = [
      'Chosen',
      'Session',
      'Status',
      'Started',
      'Last frame',
      'Duration',
      'Frames',
      'Tokens',
      'Cost',
      'Tools',
      'Dialect',
    ]
    await expect(heads).toHaveText(usual)
    await page.getByRole('button', { name: 'Columns', exact: true }).click()
    const chooser = page.getByRole('dialog', { name: 'Columns' })
    for (const name of ['Last frame', 'Frames', 'Tokens', 'Tools', 'Dialect'])
      await chooser.getByLabel(name, { exact: true }).uncheck()
    for (const name of ['Model', 'Error', 'Tags']) await chooser.getByLabel(name, { exact: true }).check()
    await chooser.getByRole('button', { name: 'Move Cost to the left' }).click()
    await page.keyboard.press('Escape')
    const chosen = ['Chosen', 'Session', 'Status', 'Started', 'Cost', 'Duration', 'Model', 'Error', 'Tags']
    await expect(heads).toHaveText(chosen)
    await expect(page.getByRole('cell', { name: 'suite: columns' })).toBeVisible()
    await page.reload()
    await expect(heads).toHaveText(chosen)

    await page.getByRole('button', { name: 'Views', exact: true }).click()
    await page.getByLabel('Keep what is shown as').fill('Columns of a suite')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Columns of a suite' }).click()
    await expect(page).toHaveURL(
      '/?tag=suite%3Acolumns&columns=status%2Cstarted%2Ccost%2Cduration%2Cmodel%2Cerror%2Ctags',
    )
    await expect(page.getByRole('button', { name: 'Views: Columns of a suite' })).toBeVisible()
    // Another browser, which keeps nothing.
    const other = await browser.newContext(baseURL === undefined ? {} : { baseURL })
    const there = await other.newPage()
    await there.goto(page.url())
    await expect(there.getByRole('columnheader')).toHaveText(chosen)
    await other.close()

    await page.getByRole('button', { name: 'Columns', exact: true }).click()
    await chooser.getByRole('button', { name: 'The usual columns' }).click()
    await expect(heads).toHaveText(usual)
  },
)

test(
  'the number, tokens and cost of all that fit are shown, and End goes to the end',
  { tag: '@long' },
  async ({ page, request, baseURL }) => {
    for (let i = 0; i < 120; i++)
      await request.post(`/v1/ingest?session=total-${i}&dialect=generic&tag=of:total`, {
        headers: { 'Content-Type': 'application/x-ndjson' },
        data: `{"total":${i}}\n`,
      })
    // 3 and 15 dollars for a million tokens: 30 and 15 thousandths of a cent for 1000 and 100.
    const call = { model: 'claude-sonnet-4-5', input: 1000, output: 100 }
    await spend(baseURL ?? '', 'total-spent', Date.UTC(2026, 4, 5, 10), [call, call], ['of=total'])
    await expect
      .poll(async () => {
        const answer = await request.get('/v1/totals?tag=of:total')
        return ((await answer.json()) as { sessions: number }).sessions
      })
      .toBe(121)
    await page.goto('/?tag=of%3Atotal')
    // 2 × (1000 × 3 + 100 × 15) / 1,000,000 dollars.
    await expect(page.getByRole('status', { name: 'All that fit' })).toHaveText(
      '121 sessions, 2.20k tokens, $0.0090',
    )
    await rows(page).first().focus()
    await page.keyboard.press('End')
    await expect(page.locator('[data-row="120"]')).toBeFocused()
  },
)

test(
  'End goes to the last of 12,000 sessions, and what is above it is loaded as it comes into sight',
  { tag: '@long' },
  async ({ page, request }) => {
    test.slow()
    const total = 12_000
    const post = (i: number) =>
      request.post(`/v1/ingest?session=end-${i}&dialect=generic&tag=of:end`, {
        headers: { 'Content-Type': 'application/x-ndjson' },
        data: `{"end":${i}}\n`,
      })
    // The first one alone: it is the last of the list.
    expect((await post(0)).ok()).toBe(true)
    for (let i = 1; i < total; i += 20)
      await Promise.all(Array.from({ length: Math.min(20, total - i) }, (_, j) => post(i + j)))
    await expect
      .poll(async () => {
        const answer = await request.get('/v1/totals?tag=of:end')
        return ((await answer.json()) as { sessions: number }).sessions
      })
      .toBe(total)
    const asked: string[] = []
    page.on('request', (one) => {
      const { pathname, searchParams } = new URL(one.url())
      // Sessions on top are asked for by their status, and the first page again and again.
      if (pathname !== '/v1/sessions' || searchParams.has('status')) return
      const [sort, cursor] = [searchParams.get('sort'), searchParams.get('cursor')]
      if (sort === 'started' || cursor !== null) asked.push(`${sort} ${cursor === null ? 'first' : 'next'}`)
    })
    await page.goto('/?tag=of%3Aend')
    await expect(page.getByRole('status', { name: 'All that fit' })).toHaveText('12,000 sessions')
    const table = page.getByRole('table', { name: 'Sessions' })
    await expect(table).toHaveAttribute('aria-rowcount', '12001') // with the heads
    const focused = page.locator('[role="row"]:focus-within')
    await page.locator('[data-row="0"]').focus()
    await page.keyboard.press('End')
    await expect(rows(page).filter({ hasText: /^end-0$/ })).toBeFocused()
    await expect(focused).toHaveAttribute('aria-rowindex', '12001')
    await expect(focused).toBeInViewport()
    expect(asked).toEqual(['started first'])

    // Upwards the rows follow one another without a gap, and what is loaded above does not move them.
    for (let index = 12_000; index > 11_870; index--) {
      await page.keyboard.press('ArrowUp')
      await expect(focused).toHaveAttribute('aria-rowindex', String(index))
    }
    await expect(focused).toBeInViewport()
    expect(asked).toEqual(['started first', 'started next'])
    // Back comes to the same place, from the end of the list.
    const name = await focused.getByRole('link').textContent()
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(/\/sessions\/end-/)
    await page.goBack()
    await expect(rows(page).filter({ hasText: new RegExp(`^${name}$`) })).toBeInViewport()

    await page.locator('[data-row]').nth(20).focus()
    await page.keyboard.press('Home')
    await expect(page.locator('[data-row="0"]')).toBeFocused()
    await expect(focused).toHaveAttribute('aria-rowindex', '2')
    await page.keyboard.press('End')
    await expect(rows(page).filter({ hasText: /^end-0$/ })).toBeFocused()
    expect(asked.length).toBeLessThanOrEqual(6)
  },
)

test('chosen sessions are saved as CSV and deleted', { tag: '@long' }, async ({ page, request }) => {
  for (const name of ['gone-1', 'gone-2', 'gone-3', 'kept'])
    await record(request, name, [{ type: 'a' }], ['suite:gone'])
  await page.goto('/?tag=suite%3Agone&sort=started')
  await expect(rows(page)).toHaveCount(4)
  const box = (name: string) => page.getByRole('checkbox', { name: `Choose ${name}` })
  await box('gone-1').check()
  await box('gone-3').click({ modifiers: ['Shift'] })
  const status = page.getByRole('status', { name: 'Chosen sessions' })
  await expect(status).toHaveText('3 sessions chosen')
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'CSV' }).click()
  const text = await readFile(await (await downloading).path(), 'utf8')
  expect(text.split('\r\n').map((line) => line.split(',')[0])).toEqual([
    'session',
    'gone-1',
    'gone-2',
    'gone-3',
    '',
  ])
  await page.getByRole('button', { name: 'Choose all 4' }).click()
  await expect(status).toHaveText('4 sessions chosen')
  await box('kept').uncheck()
  await page.getByRole('button', { name: 'Delete…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete 3 sessions' })
  await dialog.getByRole('button', { name: 'Delete 3 sessions' }).click()
  await expect(rows(page)).toHaveText(['kept'])
  await expect(page.getByRole('status', { name: 'All that fit' })).toHaveText('1 session')
})

test(
  'a label is put on the chosen sessions and removed, by the keyboard; what fails is named',
  { tag: '@long' },
  async ({ page, request, expectErrors }) => {
    expectErrors(/status of 404/)
    for (const name of ['labelled/1', 'labelled-2', 'labelled-3'])
      await record(request, name, [{ type: 'a' }], ['suite:label'])
    await page.goto('/?tag=suite%3Alabel&sort=started')
    await expect(rows(page)).toHaveCount(3)
    await page.getByRole('checkbox', { name: 'Choose labelled/1' }).check()
    await page.getByRole('button', { name: 'Choose all 3' }).click()
    const open = page.getByRole('button', { name: 'Label…' })
    await open.focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Label 3 sessions' })
    await expect(dialog.getByLabel('Label', { exact: true })).toBeFocused()
    await page.keyboard.type('..')
    await expect(dialog.getByRole('button', { name: 'Remove the label' })).toBeDisabled()
    await dialog.getByLabel('Label', { exact: true }).clear()
    await page.keyboard.type('needs triage')
    await page.keyboard.press('Enter')
    const result = dialog.getByRole('status', { name: 'Result' })
    await expect(result).toHaveText('“needs triage” added to 3 sessions.')
    const listed = async () =>
      ((await (await request.get('/v1/sessions?label=needs%20triage')).json()) as { items: unknown[] }).items
        .length
    expect(await listed()).toBe(3)
    await dialog.getByRole('button', { name: 'Add the label' }).click()
    await expect(result).toHaveText('“needs triage” added to 0 sessions, 3 sessions had it before.')

    // One of them is not there any more.
    await page.route('**/v1/sessions/labelled-2/labels/*', (route) =>
      route.fulfill({
        status: 404,
        contentType: 'application/problem+json',
        headers: { 'Tapedeck-Api': '1' },
        body: '{"title":"Not found","status":404,"detail":"There is no session labelled-2."}',
      }),
    )
    await dialog.getByRole('button', { name: 'Remove the label' }).click()
    await expect(result).toHaveText('“needs triage” removed from 2 sessions, 1 session failed; try again.')
    await expect(dialog.getByRole('list', { name: 'Failed' })).toContainText(
      'There is no session labelled-2.',
    )
    expect(await listed()).toBe(1)
    const { violations } = await new AxeBuilder({ page }).include('[role="dialog"] form').analyze()
    expect(violations).toEqual([])
    await page.keyboard.press('Escape')
    await expect(dialog).toBeHidden()
  },
)
