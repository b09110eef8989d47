import { expect, test } from 'vitest'
import { viewerZone } from '../format/zone'
import { everything } from '../filters/filter'
import { apiParams, callsAddress, csvAddress, formatReport, parseReport } from './params'

test('without a query the report is the usual one, in the viewer’s zone', () => {
  const report = parseReport('', ['model'])
  expect(report).toEqual({
    from: 'now-7d',
    to: '',
    timezone: viewerZone,
    granularity: 'day',
    groupBy: ['model'],
    byPeriod: false,
    asOf: '',
    whatIf: '',
    findings: false,
    sessions: everything,
  })
  expect(formatReport(report, ['model'])).toBe(`?timezone=${encodeURIComponent(viewerZone)}`)
})

test.each([
  '?from=now-24h&timezone=Asia%2FKathmandu&granularity=day&group_by=agent%2Ctag%3Acustomer&rows=periods',
  '?from=&timezone=UTC&group_by=',
  '?timezone=UTC&as_of=2026-01-31&what_if_model=claude-haiku-4-5',
  '?timezone=UTC&findings=1',
  '?timezone=UTC&min_tokens=10&tool=bash&tool=edit&status=error',
  '?from=2026-03-01T00%3A00%3A00Z&to=2026-04-01T00%3A00%3A00Z&timezone=America%2FNew_York',
])('%s stays as it is', (search) =>
  expect(formatReport(parseReport(search, ['model']), ['model'])).toBe(search),
)

test.each([
  ['?from=now-24h', 'hour'],
  ['?from=', 'month'],
  ['?from=now-90d&granularity=year', 'day'],
  ['?from=now-90d&granularity=week', 'week'],
  ['?granularity=15m', '15m'],
])('%s has periods of a %s', (search, want) => expect(parseReport(search, []).granularity).toBe(want))

test('what the API is asked', () => {
  const report = parseReport('?from=now-30d&timezone=UTC&granularity=month', ['tool'])
  expect(apiParams(report, 'chart')).toEqual({ from: 'now-30d', timezone: 'UTC', granularity: 'month' })
  expect(apiParams(report, 'table')).toEqual({ from: 'now-30d', timezone: 'UTC', granularity: 'total' })
  expect(csvAddress('/v1/tools', report)).toBe(
    '/v1/tools?from=now-30d&timezone=UTC&granularity=total&group_by=tool&format=csv',
  )
})

test('a report of some sessions asks for them', () => {
  const report = parseReport('?from=now-30d&timezone=UTC&tool=bash&tool=edit&min_tokens=10', ['tool'])
  expect(apiParams(report, 'table')).toEqual({
    from: 'now-30d',
    timezone: 'UTC',
    granularity: 'total',
    tool: ['bash', 'edit'],
    min_tokens: 10,
  })
  expect(csvAddress('/v1/tools', report)).toBe(
    '/v1/tools?from=now-30d&timezone=UTC&granularity=total&min_tokens=10&tool=bash&tool=edit&group_by=tool&format=csv',
  )
})

test('the calls of a report, and further costs', () => {
  const report = parseReport('?from=now-30d&timezone=UTC&as_of=2026-01-31&what_if_model=m', ['model'])
  expect(callsAddress(report, 'parquet')).toBe(
    '/v1/usage/calls?from=now-30d&timezone=UTC&as_of=2026-01-31&what_if_model=m&format=parquet',
  )
  expect(csvAddress('/v1/usage', report)).toContain('&as_of=2026-01-31&what_if_model=m&group_by=model')
  expect(csvAddress('/v1/tools', report)).not.toContain('as_of')
})
