import { SegmentedControl } from '@mantine/core'
import { useCallback, useState } from 'react'
import { compact, count } from '../format/numbers'
import type { Axis } from '../reports/chart'
import type { Periods } from '../reports/page'
import { PeriodChart } from '../reports/periodchart'
import { tokenSeries, type Split } from './layers'
import type { UsageRow } from './queries'

const axes: readonly Axis[] = [{ format: compact }]

/** Tokens by period, stacked by bucket or by group. */
export function UsageChart({ periods, total }: { periods: Periods<UsageRow>; total: number }) {
  const [split, setSplit] = useState<Split>('bucket')
  const { granularity, groupBy } = periods.report
  const series = useCallback(
    (rows: readonly UsageRow[], starts: readonly number[]) => tokenSeries(rows, starts, split, groupBy),
    [split, groupBy],
  )
  return (
    <PeriodChart
      title="Tokens"
      periods={periods}
      series={series}
      axes={axes}
      label={(names) =>
        `Tokens by ${granularity}, ${names[0] ?? ''} to ${names.at(-1) ?? ''}: ${count(total)} in all`
      }
    >
      <SegmentedControl
        size="xs"
        aria-label="What the chart shows"
        value={split}
        data={[
          { value: 'bucket', label: 'by bucket' },
          { value: 'group', label: `by ${groupBy.join(', ') || 'group'}` },
        ]}
        onChange={(value) => setSplit(value)}
      />
    </PeriodChart>
  )
}
