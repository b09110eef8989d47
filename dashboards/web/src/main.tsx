import './mantine'
import './fonts.css'
import './tokens.css'
import './global.css'
import { MantineProvider } from '@mantine/core'
import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app'
import { asksAgain } from './api/client'
import { isLoggedOut, loginQuery } from './login/queries'
import { theme } from './theme'

const queries = new QueryClient({
  queryCache: new QueryCache({
    // A login that is over shows the login page.
    onError: (error) => {
      if (isLoggedOut(error)) void queries.refetchQueries(loginQuery)
    },
  }),
  defaultOptions: {
    queries: {
      // The server may be on this machine, which needs no network to be reached.
      networkMode: 'always',
      retry: asksAgain,
      retryDelay: (failures) => Math.min(500 * 2 ** failures, 2000),
      refetchOnWindowFocus: false,
    },
  },
})

const root = document.getElementById('root')
if (root === null) throw new Error('index.html has no #root')

/** What the server put into the page for the styles that Mantine adds at run time. */
const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ''

createRoot(root).render(
  <StrictMode>
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => nonce}>
      <QueryClientProvider client={queries}>
        <App />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
)
