import { expect, test } from 'vitest'
import { noTokens } from '../testing/tokens'
import { usageSeries } from './layers'
import type { UsageRow } from './queries'

const row = (day: number, model: string, input: number, output: number, cost?: string) =>
  ({
    period_start: new Date(day * 86_400_000).toISOString(),
    model,
    cost: cost === undefined ? null : { amount: cost, currency: 'USD' },
    tokens: { ...noTokens, input, output, total: input + output },
  }) as unknown as UsageRow

const rows = [row(1, 'a', 10, 1), row(1, 'b', 20, 2), row(3, 'a', 30, 3)]
const starts = [1, 2, 3].map((day) => day * 86_400_000)

test('by bucket, those that are empty left out, the top drawn first', () => {
  expect(
    usageSeries(rows, starts, 'bucket', ['model']).map(({ name, drawn, value }) => [name, drawn, value]),
  ).toEqual([
    ['output', [33, 0, 33], [3, 0, 3]],
    ['input', [30, 0, 30], [30, 0, 30]],
  ])
})

test('by group', () => {
  expect(
    usageSeries(rows, starts, 'group', ['model']).map(({ name, drawn, value }) => [name, drawn, value]),
  ).toEqual([
    ['b', [33, 0, 33], [22, 0, 0]],
    ['a', [11, 0, 33], [11, 0, 33]],
  ])
})

test('costs by group; what has none is not drawn', () => {
  const priced = [row(1, 'a', 10, 1, '0.5'), row(1, 'b', 20, 2), row(3, 'a', 30, 3, '0.25')]
  expect(usageSeries(priced, starts, 'cost', ['model']).map(({ name, value }) => [name, value])).toEqual([
    ['a', [0.5, 0, 0.25]],
  ])
})
