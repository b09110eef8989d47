import { useCallback, useEffect, useMemo } from 'react'
import { useLocation, useSearch } from 'wouter'
import { formatReport, parseReport, type ReportParams } from './params'

/** What the address asks of a report, and a way to ask something else. */
export function useReport(
  groups: readonly string[],
): [ReportParams, (change: Partial<ReportParams>) => void] {
  const search = useSearch()
  const [path, navigate] = useLocation()
  const report = useMemo(() => parseReport(search, groups), [search, groups])
  // The address always names the time zone, so that it can be passed on unchanged.
  useEffect(() => {
    const whole = formatReport(report, groups)
    if (!new URLSearchParams(search).has('timezone')) navigate(path + whole, { replace: true })
  }, [search, report, groups, navigate, path])
  const change = useCallback(
    (part: Partial<ReportParams>) => navigate(path + formatReport({ ...report, ...part }, groups)),
    [report, groups, navigate, path],
  )
  return [report, change]
}
