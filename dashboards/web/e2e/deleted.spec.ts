import { record } from './recording'
import { expect, test } from './test'

test(
  'a session that is deleted while it is open says so, and stays to be looked at',
  { tag: '@long' },
  async ({ page, request, expectErrors }) => {
    expectErrors(/status of 4(04|10)/)
    const id = `deleted-${Date.now()}`
    await record(request, id, [
      { type: 'RUN_STARTED', threadId: 't', runId: 'r' },
      { type: 'TEXT_MESSAGE_START', messageId: 'm', role: 'assistant' },
      { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', delta: 'what was said' },
      { type: 'TEXT_MESSAGE_END', messageId: 'm' },
      { type: 'RUN_FINISHED', threadId: 't', runId: 'r' },
    ])
    await page.goto(`/sessions/${id}`)
    const conversation = page.getByRole('region', { name: 'Conversation' })
    await expect(conversation).toContainText('what was said')
    expect((await request.delete(`/v1/sessions/${id}`)).status()).toBe(204)
    await expect(page.getByText('This session has been deleted.')).toBeVisible()
    await expect(conversation).toContainText('what was said')
    await page.keyboard.press('k')
    await expect(page.getByRole('button', { name: 'Play' })).toBeVisible()
    await page.getByRole('tab', { name: 'Totals' }).click()
    await expect(page.getByRole('region', { name: 'Tokens and cost' })).toBeVisible()
    await page.getByRole('link', { name: 'the other sessions' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Sessions' })).toBeVisible()
    await expect(page.getByRole('link', { name: id })).toHaveCount(0)
  },
)

test('a session is deleted from its menu, once that is confirmed', async ({
  page,
  request,
  expectErrors,
}) => {
  expectErrors(/status of 410/)
  const id = `unwanted-${Date.now()}`
  await record(request, id, [{ type: 'RUN_STARTED', threadId: 't', runId: 'r' }])
  await page.goto(`/sessions/${id}`)
  await page.getByRole('button', { name: 'Session menu' }).click()
  await page.getByRole('menuitem', { name: 'Delete…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete the session' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Sessions' })).toBeVisible()
  expect((await request.get(`/v1/sessions/${id}`)).status()).toBe(410)
})
