import { Center } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, type ReactNode } from 'react'
import { Loading } from '../components/loading'
import { loginQuery } from './queries'

const LoginPage = lazy(() => import('./page'))

/** Shows the pages to those who are logged in, and the login to others, at whatever address they came to. */
export function Gate({ children }: { children: ReactNode }) {
  const login = useQuery(loginQuery)
  if (login.data?.tokens === true && login.data.principal === null) return <LoginPage />
  // A server that is away is reported by the shell.
  if (login.data !== undefined || login.failureCount > 0) return children
  return (
    <Center h="50vh">
      <Loading label="Loading the page" />
    </Center>
  )
}
