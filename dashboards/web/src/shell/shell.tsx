import { ActionIcon, Tooltip, useComputedColorScheme, useMantineColorScheme } from '@mantine/core'
import { IconMoon, IconSun } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, type ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import { Skip } from '../components/skip'
import { loginQuery } from '../login/queries'
import { Navigation } from './navigation'
import { navigationOf, pageAt } from './pages'
import { ServerState } from './serverstate'
import { NavigationSheet } from './sheet'
import { Sign } from './sign'
import classes from './shell.module.css'

const Account = lazy(() => import('../login/account'))

/** What is around every page: the links to the others, the search field and the switch of colours. */
export function Shell({ search, children }: { search: ReactNode; children: ReactNode }) {
  const [path] = useLocation()
  const login = useQuery({ ...loginQuery, enabled: false }).data
  const principal = login?.tokens === true ? login.principal : null
  const loggedOut = login?.tokens === true && login.principal === null
  const current = pageAt(path)
  const entries = navigationOf(principal?.scopes.includes('admin') === true, current)
  return (
    <div className={classes.shell}>
      <Skip to="main">Skip to the page</Skip>
      <header className={classes.header}>
        {!loggedOut && <NavigationSheet entries={entries} current={current} />}
        <Link href="/" className={classes.brand} aria-label="tapedeck">
          <Sign />
          <span className={classes.name}>tapedeck</span>
        </Link>
        {loggedOut ? <div className={classes.gap} /> : <Navigation entries={entries} current={current} />}
        {!loggedOut && path !== '/search' && search}
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
