/** A page that the navigation leads to. */
export interface Page {
  path: string
  name: string
}

/** Pages about one subject. */
export interface Group {
  name: string
  pages: readonly Page[]
}

const entries: readonly (Page | Group)[] = [
  { path: '/', name: 'Sessions' },
  { path: '/record', name: 'Record' },
  {
    name: 'Analytics',
    pages: [
      { path: '/usage', name: 'Usage' },
      { path: '/tools', name: 'Tools' },
      { path: '/calls', name: 'Model calls' },
    ],
  },
  {
    name: 'Billing',
    pages: [
      { path: '/bills', name: 'Bills' },
      { path: '/prices', name: 'Prices' },
      { path: '/usage/reconciliation', name: 'Reconciliation' },
    ],
  },
  {
    name: 'Settings',
    pages: [
      { path: '/retention', name: 'Retention' },
      { path: '/audit', name: 'Audit log' },
    ],
  },
]

/** For administrators of servers with tokens. */
const access: Page = { path: '/access', name: 'Access' }

/** The pages and groups of pages in the navigation. Whoever has opened the page about access finds it there, too. */
export function navigationOf(
  administrates: boolean,
  current: string | null = null,
): readonly (Page | Group)[] {
  if (!administrates && current !== access.path) return entries
  return entries.map((entry) =>
    'pages' in entry && entry.name === 'Settings' ? { ...entry, pages: [...entry.pages, access] } : entry,
  )
}

/** The path of the page in the navigation that an address belongs to; null for none. */
export function pageAt(path: string): string | null {
  if (path === '/' || path.startsWith('/sessions/')) return '/'
  const paths = [...entries.flatMap((entry) => ('pages' in entry ? entry.pages : [entry])), access]
    .map((page) => page.path)
    .filter((page) => page !== '/' && (path === page || path.startsWith(`${page}/`)))
  return paths.sort((a, b) => b.length - a.length)[0] ?? null
}
