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

test('the shards that are away are those that the check of shards names', () => {
  const checks = [{ part: 'shards', ok: false, state: { away: ['clickhouse-2:9000'] } }]
  expect(shardsAway({ ready: true, version: '1', checks })).toEqual(['clickhouse-2:9000'])
  expect(shardsAway({ ready: true, version: '1', checks: [] })).toEqual([])
})
