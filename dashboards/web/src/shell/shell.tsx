import { ActionIcon, Tooltip, useComputedColorScheme, useMantineColorScheme } from '@mantine/core'
import { IconMoon, IconSun } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useEffect, useRef, type ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import { Skip } from '../components/skip'
import { loginQuery } from '../login/queries'
import { ServerState } from './serverstate'
import classes from './shell.module.css'

const pages = [
  { path: '/', name: 'Sessions' },
  { path: '/usage', name: 'Usage' },
  { path: '/bills', name: 'Bills' },
  { path: '/prices', name: 'Prices' },
  { path: '/tools', name: 'Tools' },
  { path: '/calls', name: 'Model calls' },
  { path: '/retention', name: 'Retention' },
  { path: '/record', name: 'Record' },
  { path: '/audit', name: 'Audit' },
]
/** Of administrators on servers with tokens. */
const access = { path: '/access', name: 'Access' }

const Account = lazy(() => import('../login/account'))

/** What is around every page: the links to the others, the search field and the switch of colours. */
export function Shell({ search, children }: { search: ReactNode; children: ReactNode }) {
  const [path] = useLocation()
  const nav = useRef<HTMLElement>(null)
  const login = useQuery({ ...loginQuery, enabled: false }).data
  const principal = login?.tokens === true ? login.principal : null
  const shown = principal?.scopes.includes('admin') === true ? [...pages, access] : pages
  // Where the links do not fit beside each other, the present page's is in sight.
  useEffect(() => {
    const links = nav.current
    const current = links?.querySelector<HTMLElement>('[aria-current]')
    if (links != null && current != null) links.scrollLeft = current.offsetLeft - links.offsetLeft - 48
  }, [path])
  return (
    <div className={classes.shell}>
      <Skip to="main">Skip to the page</Skip>
      <header className={classes.header}>
        <Link href="/" className={classes.brand} aria-label="tapedeck">
          <img src="/icon.svg" width={26} height={26} alt="" />
          <span className={classes.name}>tapedeck</span>
        </Link>
        <nav ref={nav} className={classes.nav} aria-label="Pages">
          {shown.map((page) => (
            <Link
              key={page.path}
              href={page.path}
              className={classes.link}
              aria-current={isAt(path, page.path) ? 'page' : undefined}
            >
              {page.name}
            </Link>
          ))}
        </nav>
        {path !== '/search' && search}
        {principal !== null && (
          <Suspense>
            <Account principal={principal} />
          </Suspense>
        )}
        <ColourSwitch />
      </header>
      <ServerState />
      <main id="main" className={classes.main} tabIndex={-1}>
        {children}
      </main>
    </div>
  )
}

/** A session belongs to the sessions, and a page below another to that. */
function isAt(path: string, page: string): boolean {
  return page === '/'
    ? path === '/' || path.startsWith('/sessions/')
    : path === page || path.startsWith(`${page}/`)
}

function ColourSwitch() {
  const { setColorScheme } = useMantineColorScheme()
  const other = useComputedColorScheme('light') === 'light' ? 'dark' : 'light'
  return (
    <Tooltip label={`Switch to ${other}`}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        aria-label={`Switch to ${other}`}
        onClick={() => setColorScheme(other)}
      >
        {other === 'dark' ? <IconMoon size={18} /> : <IconSun size={18} />}
      </ActionIcon>
    </Tooltip>
  )
}
