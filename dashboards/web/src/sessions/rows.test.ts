import { expect, test } from 'vitest'
import { session as sessionOf } from '../testing/session'
import { anyEnded, rowsOf, topOf, type Session } from './rows'

const session = (id: string, frames = 0) => ({ id, frames }) as Session

test('running sessions come first, each is there once, with its latest counts', () => {
  const rows = rowsOf(
    [session('c', 9)],
    [
      [session('a'), session('b')],
      [session('c', 5), session('a'), session('d')],
    ],
  )
  expect(rows.map((row) => `${row?.id}${row?.frames}`)).toEqual(['c9', 'a0', 'b0', 'd0'])
})

const ids = (rows: readonly (Session | null)[]) => rows.map((row) => row?.id ?? '…').join(' ')
const pages = (...texts: string[]) => texts.map((text) => text.split(' ').map((id) => session(id)))

test('a gap parts the two ends of a list until they meet', () => {
  expect(ids(rowsOf([], pages('a b', 'c d'), pages('z y', 'x w')))).toBe('a b c d … w x y z')
  // The last page of the reverse order goes beyond the end of the beginning, or just to it.
  expect(ids(rowsOf([], pages('a b', 'c d'), pages('g f', 'e d', 'c b')))).toBe('a b c d e f g')
  expect(ids(rowsOf([], pages('a b', 'c d'), pages('f e', 'd')))).toBe('a b c d e f')
  // The beginning goes beyond the end.
  expect(ids(rowsOf([], pages('a b', 'c d', 'e f'), pages('f e')))).toBe('a b c d e f')
})

test('sessions on top are no part of the end, and do not make both ends meet', () => {
  expect(ids(rowsOf([session('y')], pages('a b'), pages('z y')))).toBe('y a b … z')
  expect(ids(rowsOf([session('y'), session('z')], pages('a b'), pages('z y')))).toBe('y z a b …')
})

test('that a session ended is noticed', () => {
  expect(anyEnded([session('a')], [session('b'), session('a')])).toBe(false)
  expect(anyEnded([session('a'), session('b')], [session('a')])).toBe(true)
})

test('on top are the quiet sessions, the running ones and those lost within the hour, each in its latest state', () => {
  const at = (id: string, status: Session['status'], silent_ms: number, last_at: string) =>
    sessionOf({ id, status, silent_ms, last_at: `2026-03-02T${last_at}Z` })
  const top = topOf(
    [at('hung', 'quiet', 2_595_000, '10:00:00'), at('woke', 'quiet', 70_000, '10:42:00')],
    [at('busy', 'running', 10, '10:43:15'), at('woke', 'running', 10, '10:43:14')],
    [at('lost', 'lost', 600_000, '10:33:15'), at('old', 'lost', 3_700_000, '09:41:00')],
  )
  expect(top.map(({ id, status }) => `${id} ${status}`)).toEqual([
    'hung quiet',
    'woke running',
    'busy running',
    'lost lost',
  ])
})
