import { Button } from '@mantine/core'
import { IconShare } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { isShared, type Schemas } from '../../api/client'
import { loginQuery } from '../../login/queries'

const ShareDialog = lazy(() => import('./dialog'))

/**
 * Makes links to the session, for users with the scope; not on a server without tokens, which no other user
 * reaches.
 */
export function ShareButton({ session }: { session: Schemas['SessionDetail'] }) {
  const login = useQuery({ ...loginQuery, enabled: false }).data
  const [opened, setOpened] = useState(false)
  const scopes = login?.principal?.scopes ?? []
  const may = scopes.includes('read:raw') || scopes.includes('admin')
  if (isShared() || login?.tokens !== true || !may) return null
  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<IconShare size={14} />}
        onClick={() => setOpened(true)}
        style={{ flex: 'none' }}
      >
        Share
      </Button>
      {opened && (
        <Suspense>
          <ShareDialog session={session} close={() => setOpened(false)} />
        </Suspense>
      )}
    </>
  )
}
