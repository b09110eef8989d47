import { Skeleton, Title } from '@mantine/core'
import { useMemo, type ReactNode } from 'react'
import { Chart, chartHeight, type Axis, type Series } from './chart'
import classes from './page.module.css'
import type { Periods } from './page'
import { periodName, periodStarts, periodWord } from './periods'
import type { Grouped } from './rows'

/** A chart over the periods of a report, with its heading. */
export function PeriodChart<Row extends Grouped>({
  title,
  periods: { report, answer, loading },
  series,
  axis,
  label,
  children,
}: {
  /** What is charted; the length of the periods is added to it. */
  title: string
  periods: Periods<Row>
  /** A stable function of the rows and the starts of the periods. */
  series: (rows: readonly Row[], starts: readonly number[]) => Series[]
  axis: Axis
  /** Describes the picture, given the names of the periods. */
  label: (names: readonly string[]) => string
  /** Controls beside the heading. */
  children?: ReactNode
}) {
  const { granularity, timezone } = report
  const starts = useMemo(
    () => periodStarts(answer.items, answer, granularity, timezone),
    [answer, granularity, timezone],
  )
  const names = useMemo(
    () => starts.map((at) => periodName(at, granularity, timezone)),
    [starts, granularity, timezone],
  )
  const drawn = useMemo(() => series(answer.items, starts), [series, answer, starts])
  if (granularity === 'total') return null
  return (
    <>
      <div className={classes.tools}>
        <Title order={2} size="h5">
          {title} by {periodWord(granularity)}
        </Title>
        {children}
      </div>
      {loading ? (
        <Skeleton height={chartHeight} radius="md" role="status" aria-label="Loading the chart" />
      ) : (
        <Chart periods={names} series={drawn} axis={axis} label={label(names)} />
      )}
    </>
  )
}
