import { record } from './recording'
import { expect, test } from './test'

test.beforeEach(async ({ page }) => {
  await page.goto('/sessions/demo')
  await expect(page.getByRole('log', { name: 'Conversation' })).toBeVisible()
})

test('shows what was said, with the tool calls as cards', async ({ page }) => {
  const conversation = page.getByRole('log', { name: 'Conversation' })
  await expect(conversation).toContainText('only the test is wrong. It is safe to release.')
  const failed = conversation.getByRole('article', { name: 'Tool call: read' })
  await expect(failed).toContainText('docs/release-notes.md')
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
  // On a loaded machine the recorder reads several chunks at once. Chunks that another one follows
  // within the page's milliseconds have no moment of their own.
  const { offset_ms: offsets, end: ends } = said.chunks
  const alone = offsets.flatMap((at, part) => ((offsets[part + 1] ?? Infinity) - at > 5 ? [part] : []))
  for (const least of [0, 7, 20]) {
    const part = alone.find((part) => part >= least) ?? offsets.length - 1
    const [at = 0, end = 0] = [offsets[part], ends[part]]
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

test('what is found is gone to, also in what is folded', async ({ page }) => {
  await page.keyboard.press('f')
  await page.getByRole('textbox', { name: 'Find in this session' }).fill('stepped BACK')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('search', { name: 'Find in this session' })).toContainText('1 of 2')
  const thinking = page.getByRole('log').getByRole('article', { name: 'Thinking' }).last()
  await expect(thinking).toContainText('a clock that stepped back')
  const drawn = await page.evaluate(() => [...(CSS.highlights.get('found-now') ?? [])].map(String))
  expect(drawn).toEqual(['stepped back'])
  await page.keyboard.press('Enter')
  await expect(page.getByRole('search', { name: 'Find in this session' })).toContainText('2 of 2')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('search', { name: 'Find in this session' })).toHaveCount(0)
})

test('thinking is folded, and opens', async ({ page }) => {
  const thinking = page.getByRole('log').getByRole('article', { name: 'Thinking' }).last()
  const fold = thinking.getByRole('button', { name: /^Thinking/ })
  await expect(fold).toHaveAttribute('aria-expanded', 'false')
  await fold.click()
  await expect(thinking).toContainText('a clock that stepped back')
})

test('a text that was too long to be kept as one says so, and a call that returned nothing says that', async ({
  page,
  request,
}) => {
  test.slow()
  const id = `long-text-${Date.now()}`
  const paragraph = `${'word '.repeat(51)}\n`
  const delta = paragraph.repeat(4096) // a MiB
  await record(request, id, [
    { type: 'RUN_STARTED', threadId: 't', runId: 'r' },
    { type: 'TOOL_CALL_START', toolCallId: 'c', toolCallName: 'touch' },
    { type: 'TOOL_CALL_ARGS', toolCallId: 'c', delta: '{"path":"a"}' },
    { type: 'TOOL_CALL_END', toolCallId: 'c' },
    { type: 'TOOL_CALL_RESULT', messageId: 'm1', toolCallId: 'c', content: '' },
    { type: 'TEXT_MESSAGE_START', messageId: 'm2', role: 'assistant' },
    ...Array.from({ length: 5 }, () => ({ type: 'TEXT_MESSAGE_CONTENT', messageId: 'm2', delta })),
    { type: 'TEXT_MESSAGE_END', messageId: 'm2' },
    { type: 'RUN_FINISHED', threadId: 't', runId: 'r' },
  ])
  await page.goto(`/sessions/${id}`)
  const conversation = page.getByRole('log', { name: 'Conversation' })
  await expect(conversation).toContainText('It went on for 1.05 MB', { ignoreCase: true })
  await conversation.press('Home')
  await conversation.evaluate((view) => view.scrollTo(0, 0))
  await expect(conversation.getByRole('article', { name: 'Tool call: touch' })).toContainText('empty')
})
