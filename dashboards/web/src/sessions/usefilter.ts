import { useCallback, useMemo } from 'react'
import { useLocation, useSearch } from 'wouter'
import { formatFilter, parseFilter, type Filter } from '../filters/filter'

/** The filter that the address holds, and a way to change it: by default with an entry of its own in the history. */
export function useFilter(): [Filter, (change: Partial<Filter>, options?: { replace?: boolean }) => void] {
  const search = useSearch()
  const [path, navigate] = useLocation()
  const filter = useMemo(() => parseFilter(search), [search])
  const change = useCallback(
    (part: Partial<Filter>, options?: { replace?: boolean }) =>
      navigate(path + formatFilter({ ...filter, ...part }), options),
    [filter, navigate, path],
  )
  return [filter, change]
}
