import { expect, test } from 'vitest'
import type { Schemas } from '../../api/client'
import { previewsOf } from './preview'

const frame = (type: string, content: unknown) => ({ type, frame: content }) as Schemas['Frame']
const delta = (index: number, text: string) =>
  frame('content_block_delta', {
    type: 'content_block_delta',
    index,
    delta: { type: 'text_delta', text },
    id: `msg_${text}`,
  })

test('a preview has what differs, texts first and ids only alone', () => {
  expect(
    previewsOf([
      delta(0, 'Hel'),
      delta(0, 'lo'),
      frame('ping', { type: 'ping' }),
      delta(1, 'lo'),
      frame('ping', { type: 'ping' }),
      { type: '', text: 'plain' } as Schemas['Frame'],
      frame('', [1, 'x']),
    ]),
  ).toEqual([
    'text: Hel  type: text_delta  index: 0',
    'text: lo',
    '{"type": "ping"}',
    'index: 1',
    'the same as before',
    'plain',
    '1: x  0: 1',
  ])
})
