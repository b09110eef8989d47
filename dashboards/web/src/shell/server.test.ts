import { expect, test } from 'vitest'
import { illParts, shardsAway } from './server'

test('the parts that are not well are named with what they say', () => {
  const checks = [
    { part: 'nats', ok: true, detail: 'CONNECTED' },
    { part: 'clickhouse', ok: false, detail: 'connection refused' },
    { part: 'sink', ok: false },
  ]
  expect(illParts({ ready: false, version: '1', checks })).toBe('clickhouse (connection refused), sink')
})

test('the check of shards says what is missing while one is away', () => {
  const shards = { part: 'shards', ok: true, detail: 'clickhouse-2:9000 cannot be reached' }
  expect(shardsAway({ ready: true, version: '1', checks: [{ ...shards, ok: false }] })).toBe(shards.detail)
  expect(shardsAway({ ready: true, version: '1', checks: [shards] })).toBeUndefined()
})
