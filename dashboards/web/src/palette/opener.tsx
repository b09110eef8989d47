import { useHotkeys } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { loginQuery } from '../login/queries'

const Palette = lazy(() => import('./palette'))

/** Opens the palette by Ctrl K and ⌘K, from fields too, for those who are logged in. Its code is loaded by then. */
export function PaletteOpener() {
  const [opened, setOpened] = useState(false)
  const login = useQuery({ ...loginQuery, enabled: false }).data
  useHotkeys([['mod+K', () => setOpened(login?.principal != null)]], [])
  if (!opened || login?.principal == null) return null
  return (
    <Suspense>
      <Palette close={() => setOpened(false)} />
    </Suspense>
  )
}
