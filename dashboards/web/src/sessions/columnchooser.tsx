import { lazy, Suspense } from 'react'
import { FilterButton } from '../filters/filterbutton'
import type { ColumnChoice } from './columnlist'

const ColumnList = lazy(() => import('./columnlist'))

/** Which columns the list has, and in which order. */
export function ColumnChooser(choice: ColumnChoice) {
  return (
    <FilterButton name="Columns" value="" width={240}>
      {() => (
        <Suspense>
          <ColumnList {...choice} />
        </Suspense>
      )}
    </FilterButton>
  )
}
