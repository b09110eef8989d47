import { expect, test } from 'vitest'
import { addressOf } from './address'
import type { Entry } from './queries'

const done: Entry = {
  ...{ id: 'a', at: '2026-11-01T10:00:00Z', tenant: 'acme', remote: '192.0.2.7', action: 'session.tape' },
  ...{ kind: 'session', object: 'run 1', detail: '', outcome: 'done', status: 200, request_id: 'r1' },
  principal: { kind: 'token', id: 't1', name: 'ci' },
}

test.each<[string, Partial<Entry>, string | null]>([
  ['a session', {}, '/sessions/run%201'],
  ['a session with a slash in its id', { object: 'a/b' }, '/sessions/a%2Fb'],
  ['a session that was deleted', { action: 'session.delete' }, null],
  ['what was refused', { outcome: 'refused' }, null],
  ['another kind of object', { kind: 'bill' }, null],
  ['a comparison', { action: 'session.compare', object: 'run 1/b' }, '/compare?a=run+1&b=b'],
  ['a comparison of ids with a slash', { action: 'session.compare', object: 'a/b/c' }, null],
  ['a comparison with one id', { action: 'session.compare', object: 'a/' }, null],
  ['frames of a session', { action: 'session.frames' }, '/sessions/run%201'],
  ['one frame of a session', { action: 'session.frames', object: 'run 1/c-1@7' }, null],
])('the page of %s', (_, entry, address) => {
  expect(addressOf({ ...done, ...entry })).toBe(address)
})
