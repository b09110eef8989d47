import { viewerZone } from '../format/zone'
import { TimeFilter } from '../filters/timefilter'
import { Choices } from '../filters/choices'
import { FilterButton } from '../filters/filterbutton'
import { Search } from '../filters/search'
import classes from './page.module.css'
import { findingCodes, type ReconciliationParams } from './params'

/** The filters of the sessions: when they started, their findings, and text in them. */
export function ReconciliationBar({
  params,
  change,
}: {
  params: ReconciliationParams
  change: (part: Partial<ReconciliationParams>, options?: { replace: boolean }) => void
}) {
  return (
    <div className={classes.bar} role="group" aria-label="Filters">
      <TimeFilter range={params} zone={viewerZone} change={change} />
      <FilterButton name="Finding" value={params.findings.join(', ')}>
        {() => (
          <Choices
            known={findingCodes}
            chosen={params.findings}
            change={(chosen) => change({ findings: findingCodes.filter((code) => chosen.includes(code)) })}
            placeholder="Finding"
          />
        )}
      </FilterButton>
      <div className={classes.search}>
        <Search value={params.q} change={(q, options) => change({ q }, options)} />
      </div>
    </div>
  )
}
