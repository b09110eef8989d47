import { Center } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { Route, Switch, useLocation } from 'wouter'
import { usePathname } from 'wouter/use-browser-location'
import { Loading } from './components/loading'
import { Gate } from './login/gate'
import { PaletteOpener } from './palette/opener'
import { HeaderSearch } from './search/header'
import { SessionsPage } from './sessions/page'
import { Boundary } from './shell/boundary'
import { NotFound } from './shell/notfound'
import { sessionIdOf } from './shell/sessionid'
import { Shell } from './shell/shell'

// The first page's code is loaded first; the others' when they are opened.
const SessionPage = lazy(() => import('./session/page'))
const UsagePage = lazy(() => import('./usage/page'))
const ReconciliationPage = lazy(() => import('./reconciliation/page'))
const BillsPage = lazy(() => import('./bills/page'))
const PricesPage = lazy(() => import('./prices/page'))
const RetentionPage = lazy(() => import('./retention/page'))
const ToolsPage = lazy(() => import('./tools/page'))
const CallsPage = lazy(() => import('./calls/page'))
const ComparePage = lazy(() => import('./compare/page'))
const SearchPage = lazy(() => import('./search/page'))
const AuditPage = lazy(() => import('./audit/page'))
const RecordPage = lazy(() => import('./record/page'))
const AccessPage = lazy(() => import('./access/page'))
const SharePage = lazy(() => import('./share/page'))
const TagPage = lazy(() => import('./tag/page'))
const LoginPage = lazy(() => import('./login/page'))

export function App() {
  const [path] = useLocation()
  if (path === '/share')
    return (
      <Boundary>
        <Suspense>
          <SharePage />
        </Suspense>
      </Boundary>
    )
  return (
    <Shell search={<HeaderSearch />}>
      <PaletteOpener />
      <Boundary key={path}>
        <Suspense
          fallback={
            <Center h="50vh">
              <Loading label="Loading the page" />
            </Center>
          }
        >
          <Gate>
            <Switch>
              <Route path="/" component={SessionsPage} />
              <Route path="/sessions/:id" component={NamedSession} />
              <Route path="/usage" component={UsagePage} />
              <Route path="/usage/reconciliation" component={ReconciliationPage} />
              <Route path="/bills" component={BillsPage} />
              <Route path="/prices" component={PricesPage} />
              <Route path="/retention" component={RetentionPage} />
              <Route path="/tools" component={ToolsPage} />
              <Route path="/calls" component={CallsPage} />
              <Route path="/compare" component={ComparePage} />
              <Route path="/search" component={SearchPage} />
              <Route path="/audit" component={AuditPage} />
              <Route path="/record" component={RecordPage} />
              <Route path="/access" component={AccessPage} />
              <Route path="/tag" component={TagPage} />
              <Route path="/login" component={LoginPage} />
              <Route component={NotFound} />
            </Switch>
          </Gate>
        </Suspense>
      </Boundary>
    </Shell>
  )
}

function NamedSession() {
  const id = sessionIdOf(usePathname())
  return id === null ? <NotFound /> : <SessionPage key={id} id={id} />
}
