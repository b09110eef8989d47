import { navigationOf, type Page } from '../shell/pages'

/** Pages that the navigation does not have. */
const others: readonly Page[] = [
  { path: '/search', name: 'Search' },
  { path: '/compare', name: 'Compare' },
]

/** The pages that the palette leads to. */
export const pages: readonly Page[] = [
  ...navigationOf(false).flatMap((entry) => ('pages' in entry ? entry.pages : [entry])),
  ...others,
]
