import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render } from '@testing-library/react'
import type { ReactNode } from 'react'
import { Router } from 'wouter'
import { memoryLocation } from 'wouter/memory-location'
import { vi } from 'vitest'
import { api } from '../api/client'
import { theme } from '../theme'

/** Renders components as the application does, at an address of its own. Returns the addresses that were visited. */
export function renderAt(address: string, children: ReactNode): { history: string[] } {
  const [path = '', search = ''] = address.split('?')
  const location = memoryLocation({ path, searchPath: search, record: true })
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  render(
    <MantineProvider theme={theme} env="test">
      <QueryClientProvider client={queries}>
        <Router hook={location.hook} searchHook={location.searchHook}>
          {children}
        </Router>
      </QueryClientProvider>
    </MantineProvider>,
  )
  return { history: location.history }
}

/** Has the API answer with `answers`, by route, and returns the queries that were asked of a route. */
export function answering(answers: Record<string, unknown>): (route: string) => unknown[] {
  const asked: { route: string; query: unknown }[] = []
  const get = (route: string, init?: { params?: { query?: unknown } }) => {
    asked.push({ route, query: init?.params?.query })
    if (!(route in answers)) throw new Error(`no answer for ${route}`)
    return Promise.resolve({ data: answers[route], response: Response.json({}) })
  }
  vi.spyOn(api, 'GET').mockImplementation(get as never)
  return (route) => asked.filter((one) => one.route === route).map(({ query }) => query)
}
