import { expect, test } from 'vitest'
import { changedSince, merged } from './transcript'
import type { Schemas } from '../api/client'

const message = (id: string, start: number, more: Partial<Schemas['Message']> = {}): Schemas['Message'] => ({
  ...{ id, kind: 'assistant', text: id, media: 'text', started: '2026-01-02T03:04:05Z', start_ms: start },
  ...{ ended: null, complete: true, position: '', name: '', span_id: '', run_id: '', node_id: '', agent: '' },
  attributes: null,
  ...more,
})

test('what changed is asked for from the latest that is known', () => {
  expect(changedSince([])).toBeUndefined()
  const known = [
    message('a', 0, { ended: '2026-01-02T03:04:09.123456789Z' }),
    message('b', 1, { started: '2026-01-02T03:04:07Z' }),
  ]
  expect(changedSince(known)).toBe('2026-01-02T03:04:09.123Z')
})

test('changed messages are replaced, new ones take their place in time, others stay', () => {
  const [a, b, d] = [message('a', 0), message('b', 10, { complete: false }), message('d', 30)]
  const [grown, c] = [message('b', 10, { text: 'bb' }), message('c', 20)]
  const all = merged([a, b, d], [grown, c])
  expect(all).toEqual([a, grown, c, d])
  expect(all[0]).toBe(a)
})

test('one that grew and is not spoken of is complete', () => {
  expect(merged([message('a', 0, { complete: false })], [])).toEqual([message('a', 0)])
})
