import { Anchor, Text } from '@mantine/core'
import { Link } from 'wouter'
import type { ReportParams } from './params'
import { periodName, periodWord } from './periods'
import { groupValue, type Grouped } from './rows'
import type { Column } from './column'

/** The columns that say what a row is of: its period, and a value for each grouping. */
export function groupColumns<Row extends Grouped>(report: ReportParams): Column<Row>[] {
  const columns: Column<Row>[] = []
  if (report.byPeriod && report.granularity !== 'total')
    columns.push({
      name: periodWord(report.granularity),
      key: (row) => row.period_start,
      cell: (row) =>
        row.period_start === null
          ? '–'
          : periodName(Date.parse(row.period_start), report.granularity, report.timezone),
    })
  for (const grouping of report.groupBy)
    columns.push({
      name: grouping,
      key: (row) => groupValue(row, grouping),
      cell: (row) => <Value grouping={grouping} value={groupValue(row, grouping)} />,
    })
  if (columns.length === 0) columns.push({ name: 'all', key: () => '', cell: () => 'everything' })
  return columns
}

function Value({ grouping, value }: { grouping: string; value: string | null }) {
  if (value === null)
    return (
      <Text span inherit c="dimmed" title={`No ${grouping} was reported.`}>
        unknown
      </Text>
    )
  if (grouping === 'session')
    return (
      <Anchor component={Link} href={`/sessions/${encodeURIComponent(value)}`} inherit>
        {value}
      </Anchor>
    )
  if (grouping.startsWith('tag:') && value !== '') {
    const tag = `${grouping.slice(4)}:${value}`
    return (
      <Anchor component={Link} href={`/tag?${new URLSearchParams({ tag }).toString()}`} inherit>
        {value}
      </Anchor>
    )
  }
  return value
}
