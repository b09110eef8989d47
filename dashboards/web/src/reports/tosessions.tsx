import { Anchor } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { type Filter, formatFilter, type List } from '../filters/filter'
import type { ReportParams } from './params'
import { next } from './periods'
import { groupValue, type Grouped } from './rows'

/** Filters of the list of sessions, by grouping. */
const filters: Partial<Record<string, List>> = {
  model: 'model',
  agent: 'agent',
  tool: 'tool',
  dialect: 'dialect',
  provider: 'provider',
  run: 'run',
  node: 'node',
  service_tier: 'service_tier',
  status: 'call_status',
}

/** What a report counts. */
export type Counted = 'usage' | 'tools' | 'calls'

/** The filters of sessions in which a value is unknown, by what lacks it and by grouping. */
const unknownFilters: Record<Counted, Partial<Record<string, readonly [List, string]>>> = {
  usage: {
    model: ['model', ''],
    agent: ['agent', ''],
    provider: ['provider', ''],
    run: ['run', ''],
    node: ['node', ''],
    service_tier: ['service_tier', ''],
  },
  tools: { tool: ['tool', ''], agent: ['unknown', 'tool_agent'] },
  calls: {
    model: ['unknown', 'call_model'],
    provider: ['unknown', 'call_provider'],
    agent: ['unknown', 'call_agent'],
  },
}

/**
 * The address of the sessions that a row of a report is of, or of all of a report: those begun in its time. A row of an
 * unknown value leads to the sessions without it: those without a tag have the filter "name:".
 */
export function sessionsAddress(report: ReportParams, row: Grouped | null, of: Counted): string {
  let filter: Filter = { ...report.sessions, from: report.from, to: report.to }
  // Of usage the sessions that cost most come first.
  if (of === 'usage') filter.sort = '-cost'
  if (row === null) return `/${formatFilter(filter)}`
  const { period_start: start } = row
  if (start !== null && report.byPeriod && report.granularity !== 'total') {
    const end = next(Date.parse(start), report.granularity, report.timezone)
    filter = { ...filter, from: start, to: new Date(end).toISOString() }
  }
  for (const grouping of report.groupBy) {
    const value = groupValue(row, grouping)
    if (value === null || value === '') {
      const lacking = unknownFilters[of][grouping]
      if (grouping.startsWith('tag:')) filter = { ...filter, tag: [...filter.tag, `${grouping.slice(4)}:`] }
      else if (lacking !== undefined) filter = withUnknown(filter, ...lacking)
      continue
    }
    if (grouping === 'session') return `/sessions/${encodeURIComponent(value)}`
    const list = filters[grouping]
    if (list !== undefined) filter = { ...filter, [list]: [value] }
    else if (grouping.startsWith('tag:'))
      filter = { ...filter, tag: [...filter.tag, `${grouping.slice(4)}:${value}`] }
  }
  return `/${formatFilter(filter)}`
}

/** A filter with one value more of what is unknown, of which sessions must have all, or with a name alone. */
function withUnknown(filter: Filter, list: List, value: string): Filter {
  if (list !== 'unknown') return { ...filter, [list]: [value] }
  return { ...filter, unknown: [...filter.unknown.filter((other) => other !== value), value] }
}

/** The groupings of a row for which it has no value and sessions have no filter. */
function unknown(report: ReportParams, row: Grouped | null, of: Counted): readonly string[] {
  if (row === null) return []
  const hasFilter = (grouping: string) =>
    grouping.startsWith('tag:') || unknownFilters[of][grouping] !== undefined
  return report.groupBy.filter((grouping) => !hasFilter(grouping) && (groupValue(row, grouping) ?? '') === '')
}

/** A figure that leads to the sessions that it is of. */
export function ToSessions({
  report,
  row,
  of,
  unpriced = false,
  children,
}: {
  report: ReportParams
  row: Grouped | null
  of: Counted
  /** Whether the figure is of usage without a price. */
  unpriced?: boolean | undefined
  children: ReactNode
}) {
  const without = unknown(report, row, of)
  const narrowed = unpriced ? { ...report, sessions: { ...report.sessions, unpriced } } : report
  return (
    <Anchor
      component={Link}
      href={sessionsAddress(narrowed, row, of)}
      inherit
      c="inherit"
      underline="hover"
      title={
        without.length === 0
          ? unpriced
            ? 'Show the sessions with usage without a price'
            : 'Show the sessions'
          : `Show the sessions, also those with a known ${without.join(', ')}`
      }
    >
      {children}
    </Anchor>
  )
}
