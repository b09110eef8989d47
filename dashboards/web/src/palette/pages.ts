/** The pages that the palette leads to. */
export const pages: readonly { path: string; name: string }[] = [
  { path: '/', name: 'Sessions' },
  { path: '/search', name: 'Search' },
  { path: '/usage', name: 'Usage' },
  { path: '/tools', name: 'Tools' },
  { path: '/calls', name: 'Model calls' },
  { path: '/bills', name: 'Bills' },
  { path: '/prices', name: 'Prices' },
  { path: '/usage/reconciliation', name: 'Reconciliation' },
  { path: '/compare', name: 'Compare' },
  { path: '/record', name: 'Record' },
  { path: '/retention', name: 'Retention' },
  { path: '/audit', name: 'Audit log' },
]
