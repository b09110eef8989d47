import { SegmentedControl } from '@mantine/core'
import { useCallback, useMemo, useState } from 'react'
import { axisMoney, compact, count, money } from '../format/numbers'
import type { Axis } from '../reports/chart'
import type { Periods } from '../reports/page'
import { PeriodChart } from '../reports/periodchart'
import { usageSeries, type Split } from './layers'
import type { Spent, UsageRow } from './queries'

const tokenAxis: Axis = { format: compact }

/** Costs by period, stacked by group, or tokens, stacked by group or by bucket. */
export function UsageChart({ periods, totals }: { periods: Periods<UsageRow>; totals: Spent }) {
  const { granularity, groupBy } = periods.report
  const { cost, tokens } = totals
  const [chosen, setSplit] = useState<Split | null>(null)
  const split = chosen ?? (cost === null ? 'bucket' : 'cost')
  const currency = cost?.currency ?? 'USD'
  const axis = useMemo(
    () => (split === 'cost' ? { format: (value: number) => axisMoney(value, currency) } : tokenAxis),
    [split, currency],
  )
  const sum = split === 'cost' && cost !== null ? money(cost) : count(tokens.total)
  const series = useCallback(
    (rows: readonly UsageRow[], starts: readonly number[]) => usageSeries(rows, starts, split, groupBy),
    [split, groupBy],
  )
  return (
    <PeriodChart
      title={split === 'cost' ? 'Cost' : 'Tokens'}
      periods={periods}
      series={series}
      axis={axis}
      label={(names) =>
        `${split === 'cost' ? 'Cost' : 'Tokens'} by ${granularity}, ${names[0] ?? ''} to ${names.at(-1) ?? ''}: ${sum} in all`
      }
    >
      <SegmentedControl
        size="xs"
        aria-label="What the chart shows"
        value={split}
        data={[
          { value: 'cost', label: 'cost' },
          { value: 'group', label: 'tokens' },
          { value: 'bucket', label: 'tokens by bucket' },
        ]}
        onChange={(value) => setSplit(value)}
      />
    </PeriodChart>
  )
}
