import { expect, test } from 'vitest'
import type { Schemas } from '../../api/client'
import { span, usage as plainUsage } from '../conversation/messages.fixture'
import { byModel, byTool, callsOf, countedOf } from './calls'
import { noCosts } from './costs'

function tokens(input: number, output: number): Schemas['Tokens'] {
  return {
    input,
    cache_read: 0,
    cache_write_5m: 0,
    cache_write_1h: 0,
    output,
    reasoning: 0,
    total: input + output,
  }
}

function usage(id: string, at: string, given: Partial<Schemas['UsageRecord']> = {}): Schemas['UsageRecord'] {
  return plainUsage(id, { at, tokens: tokens(1, 1), ...given })
}

const timeline: Schemas['Timeline'] = {
  session_id: 's',
  status: 'ok',
  started: '2026-03-02T10:00:00Z',
  ended: null,
  duration_ms: 100,
  running_ms: null,
  silent_ms: null,
  gaps: [],
  usage: [usage('alone', '2026-03-02T10:00:00.005Z', { model: 'a', unpriced_reason: 'unknown_model' })],
  spans: [
    span({
      id: 'r',
      kind: 'run',
      name: 'main',
      usage: [usage('of the run', '2026-03-02T10:00:00.050Z', { discrepancy: true })],
      children: [
        span({
          id: '1',
          kind: 'llm',
          model: 'a',
          start_ms: 10,
          duration_ms: 5,
          first_token_ms: 2,
          tokens: tokens(10, 2),
          usage: [
            usage('1', '2026-03-02T10:00:00.015Z', {
              cost: { amount: '0.001', currency: 'USD' },
              cost_shares: { output: '0.001' },
            }),
          ],
        }),
        span({ id: '2', kind: 'llm', model: 'b', start_ms: 30, duration_ms: null }),
        span({ id: '3', name: 'bash', duration_ms: 4 }),
        span({ id: '4', name: 'bash', duration_ms: 9, status: 'error' }),
        span({ id: '5', name: 'bash', duration_ms: null, status: 'unclosed', open: true }),
        span({ id: '6', name: 'read', duration_ms: null, status: 'open', open: true }),
      ],
    }),
  ],
}

test('model calls in order, with usage that is not of a call', () => {
  const calls = callsOf(timeline)
  expect(calls.map(({ id, at, took }) => [id, at, took])).toEqual([
    ['alone', 5, null],
    ['1', 10, 5],
    ['2', 30, null],
    ['of the run', 50, null],
  ])
  expect(calls.map(({ discrepancy }) => discrepancy)).toEqual([false, false, false, true])
})

test('a call that a recorded stream states too is listed, and in no sum', () => {
  const spans = [
    span({
      id: 'stated twice',
      kind: 'llm',
      model: 'a',
      tokens: tokens(7, 7),
      usage: [usage('stated twice', '2026-03-02T10:00:00.060Z', { duplicate: true })],
    }),
  ]
  const calls = callsOf({ ...timeline, spans: [...timeline.spans, ...spans] })
  expect(calls.filter(({ duplicate }) => duplicate).map(({ id }) => id)).toEqual(['stated twice'])
  expect(byModel(countedOf(calls))).toEqual(byModel(callsOf(timeline)))
})

test('by model, and where none is known', () => {
  expect(byModel(callsOf(timeline))).toEqual([
    {
      model: 'a',
      calls: 2,
      tokens: tokens(11, 3),
      costs: {
        cost: { amount: '0.001', currency: 'USD' },
        unpriced: ['unknown_model'],
        shares: { output: '0.001' },
      },
    },
    { model: null, calls: 1, tokens: tokens(1, 1), costs: noCosts },
    { model: 'b', calls: 1, tokens: null, costs: noCosts },
  ])
})

test('by tool', () => {
  const table = byTool(timeline).map(({ name, calls, errors, open, median, longest }) => [
    name,
    calls.length,
    errors,
    open,
    median,
    longest?.id ?? null,
  ])
  expect(table).toEqual([
    ['bash', 3, 1, 1, 6.5, '4'],
    ['read', 1, 0, 1, null, null],
  ])
})
