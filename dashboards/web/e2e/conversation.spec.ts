import { expect, test } from './test'

test.beforeEach(async ({ page }) => {
  await page.goto('/sessions/demo')
  await expect(page.getByRole('log', { name: 'Conversation' })).toBeVisible()
})

test('shows what was said, with the tool calls as cards', async ({ page }) => {
  const conversation = page.getByRole('log', { name: 'Conversation' })
  await expect(conversation).toContainText('only the test is wrong. It is safe to release.')
  const failed = conversation.getByRole('article', { name: 'Tool call: read' })
  await expect(failed).toContainText('path: docs/release-notes.md')
  await expect(failed.getByRole('group', { name: 'Error' }).first()).toContainText('no such file')
  await expect(conversation).toContainText('Run 1 ended')
})

test('shows exactly what had arrived by the moment', async ({ page, request }) => {
  const answer = await request.get('/v1/sessions/demo/transcript?chunks=1')
  const { items } = (await answer.json()) as {
    items: { kind: string; text: string; chunks: { offset_ms: number[]; end: number[] } }[]
  }
  const said = items.filter(({ kind }) => kind === 'assistant').at(-1)
  if (said === undefined) throw new Error('the demo says nothing')
  const conversation = page.getByRole('log', { name: 'Conversation' })
  const text = conversation.getByRole('article', { name: 'Assistant' }).last()
  for (const part of [0, 7, 20]) {
    const [at = 0, end = 0] = [said.chunks.offset_ms[part], said.chunks.end[part]]
    await page.goto(`/sessions/demo?t=${at / 1000}`)
    // Words alone: what Markdown marks is drawn otherwise.
    const plain = (words: string) => words.replaceAll('`', '').trim()
    await expect(text.getByRole('paragraph')).toHaveText(
      plain(Buffer.from(said.text).subarray(0, end).toString()),
    )
    await expect(conversation).not.toContainText('Run 1 ended')
  }
})

test('a time goes to its moment, and later things are gone', async ({ page }) => {
  const conversation = page.getByRole('log', { name: 'Conversation' })
  const call = conversation.getByRole('article', { name: 'Tool call: bash' })
  await call.getByRole('button', { name: /^Go to/ }).click()
  await expect(conversation.getByRole('article', { name: 'Tool call: read' })).toHaveCount(0)
  await expect(call.getByRole('group', { name: 'Result' })).toHaveCount(0)
  await expect(call).toContainText('Called')
})

test('thinking is folded, and opens', async ({ page }) => {
  const thinking = page.getByRole('log').getByRole('article', { name: 'Thinking' }).last()
  const fold = thinking.getByRole('button', { name: /^Thinking/ })
  await expect(fold).toHaveAttribute('aria-expanded', 'false')
  await fold.click()
  await expect(thinking).toContainText('a clock that stepped back')
})
