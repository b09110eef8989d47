import { SegmentedControl } from '@mantine/core'
import type { ReportParams } from './params'
import { periodWord } from './periods'

/** Whether the table has rows for the whole range, or for each period. */
export function RowsSwitch({
  report,
  change,
}: {
  report: ReportParams
  change: (part: Partial<ReportParams>) => void
}) {
  if (report.granularity === 'total') return null
  return (
    <SegmentedControl
      size="xs"
      aria-label="Rows of the table"
      value={report.byPeriod ? 'periods' : 'range'}
      data={[
        { value: 'range', label: 'whole range' },
        { value: 'periods', label: `by ${periodWord(report.granularity)}` },
      ]}
      onChange={(value) => change({ byPeriod: value === 'periods' })}
    />
  )
}
