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

/**
 * The address of the sessions that a row of a report is of, or of all of a report: those begun in its time. Sessions
 * without a tag have the filter "name:"; others that lack a value (unknown) have none, so such a row leads to the
 * sessions that have the other values.
 */
export function sessionsAddress(report: ReportParams, row: Grouped | null): string {
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
      if (grouping.startsWith('tag:')) filter = { ...filter, tag: [...filter.tag, `${grouping.slice(4)}:`] }
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
function unknown(report: ReportParams, row: Grouped | null): readonly string[] {
  return row === null
    ? []
    : report.groupBy.filter(
        (grouping) => !grouping.startsWith('tag:') && (groupValue(row, grouping) ?? '') === '',
      )
}

/** A figure that leads to the sessions that it is of. */
export function ToSessions(props: { report: ReportParams; row: Grouped | null; children: ReactNode }) {
  const without = unknown(props.report, props.row)
  return (
    <Anchor
      component={Link}
      href={sessionsAddress(props.report, props.row)}
      inherit
      c="inherit"
      underline="hover"
      title={
        without.length === 0
          ? 'Show the sessions'
          : `Show the sessions, also those with a known ${without.join(', ')}`
      }
    >
      {props.children}
    </Anchor>
  )
}
