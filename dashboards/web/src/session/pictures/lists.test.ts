import { expect, test } from 'vitest'
import { imageLists, imagesOf } from './lists'

const image = (data: string) => ({ type: 'image', source: { type: 'base64', media_type: 'image/png', data } })
const text = (text: string) => ({ type: 'text', text })

/** A request with two questions with images, of which the first was answered, and two results of tools. */
const request = {
  messages: [
    { role: 'user', content: [text('What is this?'), image('b25l')] },
    { role: 'assistant', content: 'A cat.' },
    { role: 'user', content: [text('And this?'), image('dHdv')] },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'a', content: [text('took a screenshot'), image('YWFh')] },
        { type: 'tool_result', tool_use_id: 'b', content: [image('YmJi'), image('Y2Nj')] },
      ],
    },
  ],
}

test.each([
  ['a question', { text: 'What is this?', call: '' }, ['b25l']],
  ['the next question', { text: 'And this?', call: '' }, ['dHdv']],
  ['a result with a text', { text: 'took a screenshot', call: 'a' }, ['YWFh']],
  ['a result of images alone', { text: '', call: 'b' }, ['YmJi', 'Y2Nj']],
  ['a message without images', { text: 'A cat.', call: '' }, []],
])('%s has its images', (_, message, want) =>
  expect(imagesOf(imageLists(request), message).map(({ data }) => data)).toEqual(want),
)
