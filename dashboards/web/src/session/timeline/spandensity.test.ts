import { expect, test } from 'vitest'
import { span } from '../conversation/messages.fixture'
import type { Row } from './rows'
import { densityOf } from './spandensity'
import { straight } from './warp'

const row = (
  kind: 'llm' | 'tool',
  start_ms: number,
  duration_ms: number,
  status: 'ok' | 'error' = 'ok',
): Row => ({ depth: 0, span: span({ kind, start_ms, duration_ms, status }) })

test('a column has the share of its time that calls took, calls at the same time once, and failures', () => {
  const rows = [
    row('llm', 0, 150),
    row('llm', 50, 50),
    row('tool', 250, 25),
    row('tool', 260, 40),
    row('tool', 390, 0, 'error'),
  ]
  const { llm, tool, failed } = densityOf(rows, { from: 0, to: 400 }, straight, null, 4)
  expect([...llm]).toEqual([1, 0.5, 0, 0])
  expect([...tool].map((share) => Math.round(share * 100))).toEqual([0, 0, 50, 5])
  expect([...failed]).toEqual([0, 0, 0, 1])
})
