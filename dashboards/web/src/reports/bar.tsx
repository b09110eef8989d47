import { Button, NativeSelect, SegmentedControl } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { viewerZone, zones } from '../format/zone'
import { Chips } from '../filters/chips'
import { Choices } from '../filters/choices'
import { everything, narrows } from '../filters/filter'
import { FilterBar } from '../filters/filterbar'
import { FilterButton } from '../filters/filterbutton'
import { sessionKinds } from '../filters/sessionkinds'
import classes from './bar.module.css'
import { granularities, type ReportParams } from './params'
import { TimeFilter } from '../filters/timefilter'

/** The filters of a report: range, zone, periods, groups. */
export function ReportBar({
  report,
  change,
  groupings,
  csv,
  children,
}: {
  report: ReportParams
  change: (part: Partial<ReportParams>) => void
  groupings: readonly string[]
  /** The address of the table as CSV. */
  csv: string
  /** Further controls. */
  children?: ReactNode
}) {
  const kinds = sessionKinds(report.sessions, (part) => change({ sessions: { ...report.sessions, ...part } }))
  return (
    <div className={classes.bar} role="group" aria-label="Filters">
      <div className={classes.line}>
        <TimeFilter range={report} zone={report.timezone} change={change} />
        <NativeSelect
          size="xs"
          aria-label="Time zone"
          maw={190}
          value={report.timezone}
          data={[...new Set([viewerZone, report.timezone, ...zones()])]}
          onChange={(event) => change({ timezone: event.currentTarget.value })}
        />
      </div>
      <div className={classes.line}>
        <SegmentedControl
          size="xs"
          aria-label="Periods"
          value={report.granularity}
          data={granularities.map((value) => ({ value, label: value }))}
          onChange={(value) => change({ granularity: value })}
        />
      </div>
      <div className={`${classes.line} ${classes.wraps}`}>
        <FilterButton name="Group by" value={report.groupBy.join(', ') || 'nothing'}>
          {() => (
            <Choices
              known={groupings}
              chosen={report.groupBy}
              change={(groupBy) => change({ groupBy })}
              placeholder="Grouping"
            />
          )}
        </FilterButton>
        {children}
        <Button
          component="a"
          href={csv}
          download
          size="xs"
          variant="default"
          className={classes.csv}
          leftSection={<IconDownload size={14} aria-hidden />}
          fw={500}
          aria-label="CSV"
        >
          <span className={classes.word}>CSV</span>
        </Button>
      </div>
      <FilterBar label="Of which sessions" className={classes.sessions}>
        <Chips kinds={kinds} />
        {narrows(report.sessions) && (
          <Button size="xs" variant="subtle" color="gray" onClick={() => change({ sessions: everything })}>
            {report.sessions.q === '' ? 'All sessions' : `All sessions, not only “${report.sessions.q}”`}
          </Button>
        )}
      </FilterBar>
    </div>
  )
}
