import { record } from './recording'
import { expect, test } from './test'

/** A PNG of one pixel, and a comment of 80 KB that makes it too long for the transcript. */
function longPng(): string {
  const pixel = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  )
  return Buffer.concat([pixel, Buffer.alloc(80_000)]).toString('base64')
}

test('an image of a result is drawn from its frame, and the lines of a user stay lines', async ({
  page,
  request,
}) => {
  const id = `content-${Date.now()}`
  const said = (message: object, type: string) => ({
    type,
    message,
    session_id: 's',
    parent_tool_use_id: null,
  })
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: longPng() } }
  await record(request, id, [
    { type: 'system', subtype: 'init', session_id: 's', uuid: 'u', cwd: '/w', model: 'm', tools: ['Shot'] },
    said({ role: 'user', content: [{ type: 'text', text: 'ERROR one\nERROR two' }] }, 'user'),
    said(
      {
        id: 'm1',
        role: 'assistant',
        model: 'm',
        content: [{ type: 'tool_use', id: 't1', name: 'Shot', input: {} }],
      },
      'assistant',
    ),
    said(
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 't1', content: [{ type: 'text', text: 'shot' }, image] },
        ],
      },
      'user',
    ),
  ])
  await page.goto(`/sessions/${id}`)
  const conversation = page.getByRole('log', { name: 'Conversation' })
  const drawn = conversation
    .getByRole('article', { name: 'Tool call: Shot' })
    .getByRole('img', { name: 'An image' })
  await expect(drawn).toHaveAttribute('src', /^blob:/)
  await expect.poll(() => drawn.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBe(1)
  const user = conversation.getByRole('article', { name: 'User' }).getByRole('paragraph')
  expect((await user.innerText()).split('\n')).toEqual(['ERROR one', 'ERROR two'])
})
