import { AxeBuilder } from '@axe-core/playwright'
import { record } from './recording'
import { expect, test } from './test'

const session = `notes-${Date.now()}`

test.beforeAll(async ({ request }) => {
  await record(request, session, [
    { session_id: 's', event_id: 1, type: 'run_start', run_id: 'r', agent: 'a' },
    { session_id: 's', event_id: 2, type: 'message_chunk', content: 'hello', id: 'm' },
    { session_id: 's', event_id: 3, reply: 'done' },
  ])
})

test('a note is written at the moment of the player, leads back to it, selects the session and is deleted', async ({
  page,
  request,
}) => {
  await page.goto(`/sessions/${session}`)
  await page.getByRole('tab', { name: 'Notes' }).click()
  await expect(page.getByText('No notes.')).toBeVisible()
  const moment = page.getByRole('slider', { name: 'Moment' })
  await moment.press('Home') // the frames arrived within some milliseconds: the start is a moment of all runs of this test
  await expect(moment).toHaveAttribute('aria-valuetext', /^0:00\.000 of/)
  const form = page.getByRole('form', { name: 'New note' })
  await expect(form.getByRole('button', { name: 'Add the note' })).toBeDisabled()
  await form.getByLabel('Note', { exact: true }).fill('It never\nlooked <b>there</b>.')
  await form.getByLabel('Labels').fill('bug, eval: failed')
  await form.getByLabel('Thumb').selectOption('Down')
  await form.getByRole('button', { name: 'Add the note' }).click()

  const note = page.getByRole('list', { name: 'Notes' }).getByRole('listitem')
  await expect(note).toHaveCount(1)
  await expect(note).toContainText('looked <b>there</b>.')
  await expect(note.getByText('eval: failed')).toBeVisible()
  await expect(note.getByRole('img', { name: 'Thumb down' })).toBeVisible()
  await expect(note.getByRole('button', { name: /^Go to / })).toBeVisible()
  await expect(form.getByLabel('Note', { exact: true })).toHaveValue('')

  // The player's axis has it where the moment is, at the start.
  const axis = await moment.locator('..').boundingBox()
  if (axis === null) throw new Error('the player has no axis')
  await page.mouse.move(axis.x + 1, axis.y + axis.height / 2)
  await expect(page.getByRole('region', { name: 'Player' })).toContainText(
    / · \w+: It never\s+looked <b>there<\/b>\./,
  )
  const { violations } = await new AxeBuilder({ page }).analyze()
  expect(violations).toEqual([])

  const listed = async (filter: string) =>
    ((await (await request.get(`/v1/sessions?q=${session}&${filter}`)).json()) as { items: unknown[] }).items
      .length
  expect(await listed('label=bug')).toBe(1)
  expect(await listed('thumb=up')).toBe(0)

  await note.getByRole('button', { name: /^Delete the note/ }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete the note' }).click()
  await expect(page.getByText('No notes.')).toBeVisible()
  expect(await listed('label=bug')).toBe(0)
})
