import { expect, test } from 'vitest'
import { span } from '../conversation/messages.fixture'
import { rowAt, startsOf } from './nowrow'
import { rowsOf } from './rows'

const rows = rowsOf(
  [
    span({
      id: 'run',
      start_ms: 10,
      duration_ms: 90,
      children: [
        span({ id: 'slow', start_ms: 20, duration_ms: 70 }),
        span({ id: 'quick', start_ms: 30, duration_ms: 5 }),
        span({ id: 'late', start_ms: 95, duration_ms: 2 }),
      ],
    }),
    span({ id: 'open', start_ms: 120, duration_ms: null, status: 'open', open: true }),
  ],
  new Set(),
)

test.each([
  [0, undefined],
  [15, 'run'],
  [20, 'slow'],
  [31, 'quick'],
  [60, 'slow'], // what began later is over
  [93, 'quick'], // nothing is in progress below the run: the span that began last
  [96, 'late'],
  [99, 'late'],
  [5000, 'open'],
])('at %d ms it is %s', (moment, want) => {
  expect(rows[rowAt(rows, startsOf(rows), moment)]?.span.id).toBe(want)
})

test('of no lines there is none', () => expect(rowAt([], startsOf([]), 10)).toBe(-1))
