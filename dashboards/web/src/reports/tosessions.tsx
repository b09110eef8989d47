import { Anchor } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { type Filter, formatFilter, type List, takesUnknown } from '../filters/filter'
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

/**
 * The address of the sessions that a row of a report is of, or of all of a report: those begun in its time. A row of an
 * unknown value leads to the sessions without it: those without a tag have the filter "name:". Sessions whose usage lacks
 * a value have the filter "", which reports of other things than usage cannot use: their rows lead to the sessions that
 * have the other values.
 */
export function sessionsAddress(report: ReportParams, row: Grouped | null, ofUsage = false): string {
  let filter: Filter = { ...report.sessions, from: report.from, to: report.to }
  if (row === null) return `/${formatFilter(filter)}`
  const { period_start: start } = row
  if (start !== null && report.byPeriod && report.granularity !== 'total') {
    const end = next(Date.parse(start), report.granularity, report.timezone)
    filter = { ...filter, from: start, to: new Date(end).toISOString() }
  }
  for (const grouping of report.groupBy) {
    const value = groupValue(row, grouping)
    if (value === null || value === '') {
      const lacking = filters[grouping]
      if (grouping.startsWith('tag:')) filter = { ...filter, tag: [...filter.tag, `${grouping.slice(4)}:`] }
      else if (ofUsage && lacking !== undefined && takesUnknown(lacking))
        filter = { ...filter, [lacking]: [''] }
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

/** The groupings of a row for which it has no value and sessions have no filter. */
function unknown(report: ReportParams, row: Grouped | null, ofUsage: boolean): readonly string[] {
  if (row === null) return []
  const hasFilter = (grouping: string) => {
    const list = filters[grouping]
    return grouping.startsWith('tag:') || (ofUsage && list !== undefined && takesUnknown(list))
  }
  return report.groupBy.filter((grouping) => !hasFilter(grouping) && (groupValue(row, grouping) ?? '') === '')
}

/** A figure that leads to the sessions that it is of. */
export function ToSessions({
  report,
  row,
  ofUsage = false,
  unpriced = false,
  children,
}: {
  report: ReportParams
  row: Grouped | null
  /** Whether the report counts usage records. */
  ofUsage?: boolean | undefined
  /** Whether the figure is of usage without a price. */
  unpriced?: boolean | undefined
  children: ReactNode
}) {
  const without = unknown(report, row, ofUsage)
  const of = unpriced ? { ...report, sessions: { ...report.sessions, unpriced } } : report
  return (
    <Anchor
      component={Link}
      href={sessionsAddress(of, row, ofUsage)}
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
