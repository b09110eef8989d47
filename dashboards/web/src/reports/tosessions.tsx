import { Anchor } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { type Filter, formatFilter, type List } from '../sessions/filter'
import type { ReportParams } from './params'
import { next } from './periods'
import { groupValue, type Grouped } from './rows'

/** Groupings by which the list of sessions can be filtered. */
const listed: readonly List[] = ['model', 'agent', 'tool', 'dialect']

/**
 * The address of the sessions that a row of a report is of, or of all of a report: those begun in its time. Null where
 * the list has no filter for what the row is of.
 */
export function sessionsAddress(report: ReportParams, row: Grouped | null): string | null {
  let filter: Filter = { ...report.sessions, from: report.from, to: report.to }
  if (row === null) return `/${formatFilter(filter)}`
  const { period_start: start } = row
  if (start !== null && report.byPeriod && report.granularity !== 'total') {
    const end = next(Date.parse(start), report.granularity, report.timezone)
    filter = { ...filter, from: start, to: new Date(end).toISOString() }
  }
  for (const grouping of report.groupBy) {
    const value = groupValue(row, grouping)
    if (value === null || value === '') return null
    if (grouping === 'session') return `/sessions/${encodeURIComponent(value)}`
    const list = listed.find((name) => name === grouping)
    if (list !== undefined) filter = { ...filter, [list]: [value] }
    else if (grouping.startsWith('tag:'))
      filter = { ...filter, tag: [...filter.tag, `${grouping.slice(4)}:${value}`] }
    else return null
  }
  return `/${formatFilter(filter)}`
}

/** A figure that leads to the sessions that it is of, where their list can show them. */
export function ToSessions(props: { report: ReportParams; row: Grouped | null; children: ReactNode }) {
  const address = sessionsAddress(props.report, props.row)
  if (address === null) return props.children
  return (
    <Anchor component={Link} href={address} inherit c="inherit" underline="hover" title="Show the sessions">
      {props.children}
    </Anchor>
  )
}
