import { expect, test } from 'vitest'
import { session } from '../testing/session'
import { sessionsCsv } from './csv'

test('sessions are lines of CSV that no spreadsheet takes for formulas', () => {
  const [head = '', first, second, end] = sessionsCsv([
    session({ id: 'a', title: '=1+1', tools: { calls: 3, errors: 1 }, tags: { team: 'x' } }),
    session({ id: 'b,c', title: 'two\nlines', cost: { amount: '0.25', currency: 'USD' }, calls: 2 }),
  ]).split('\r\n')
  expect(head).toBe(
    'session,title,status,started,ended,duration_ms,frames,calls,tokens,cost,currency,unpriced_calls,' +
      'tool_calls,tool_errors,models,agents,dialects,tags,end',
  )
  expect(first).toBe(
    `a,'=1+1,ok,2026-03-02T10:00:00Z,2026-03-02T10:00:01Z,1000,3,0,0,,,0,3,1,,,generic,"{""team"":""x""}",`,
  )
  expect(second).toBe(
    '"b,c","two\nlines",ok,2026-03-02T10:00:00Z,2026-03-02T10:00:01Z,1000,3,2,0,0.25,USD,0,0,0,,,generic,,',
  )
  expect(end).toBe('')
})
