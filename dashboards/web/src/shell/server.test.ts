import { expect, test } from 'vitest'
import { illParts } from './server'

test('the parts that are not well are named with what they say', () => {
  const checks = [
    { part: 'nats', ok: true, detail: 'CONNECTED' },
    { part: 'clickhouse', ok: false, detail: 'connection refused' },
    { part: 'sink', ok: false },
  ]
  expect(illParts({ ready: false, version: '1', checks })).toBe('clickhouse (connection refused), sink')
})
