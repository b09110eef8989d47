import { endLine } from '../session/end'
import type { Session } from './rows'

const columns: readonly [string, (session: Session) => string | number | null][] = [
  ['session', ({ id }) => id],
  ['title', ({ title }) => title],
  ['status', ({ status }) => status],
  ['started', ({ started }) => started],
  ['ended', ({ ended }) => ended],
  ['duration_ms', ({ duration_ms }) => duration_ms],
  ['frames', ({ frames }) => frames],
  ['calls', ({ calls }) => calls],
  ['tokens', ({ tokens }) => tokens.total],
  ['cost', ({ cost }) => cost?.amount ?? null],
  ['currency', ({ cost }) => cost?.currency ?? null],
  ['unpriced_calls', ({ unpriced_calls }) => unpriced_calls],
  ['tool_calls', ({ tools }) => tools.calls],
  ['tool_errors', ({ tools }) => tools.errors],
  ['models', ({ models }) => models.join(' ')],
  ['agents', ({ agents }) => agents.join(' ')],
  ['dialects', ({ dialects }) => dialects.join(' ')],
  ['tags', ({ tags }) => (Object.keys(tags).length === 0 ? '' : JSON.stringify(tags))],
  ['end', ({ end }) => endLine(end)?.text ?? ''],
]

/** Sessions as CSV (RFC 4180). Recorded text that a spreadsheet would take for a formula begins with an apostrophe. */
export function sessionsCsv(sessions: readonly Session[]): string {
  const lines = [
    columns.map(([name]) => name),
    ...sessions.map((session) => columns.map(([, of]) => cell(of(session)))),
  ]
  return lines.map((line) => `${line.join()}\r\n`).join('')
}

function cell(value: string | number | null): string {
  if (value === null || typeof value === 'number') return String(value ?? '')
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
