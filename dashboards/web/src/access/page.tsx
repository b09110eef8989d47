import { Button, Group, Skeleton, Text, Title } from '@mantine/core'
import { IconKey, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Empty } from '../components/empty'
import { ProblemAlert } from '../components/problem'
import { loginQuery } from '../login/queries'
import classes from '../reports/page.module.css'
import { useTitle } from '../components/title'
import { CreateDialog } from './create'
import { tokensQuery } from './queries'
import { Tenants } from './tenants'
import { TokenTable } from './tokens'

/** The tokens of the tenant, and for administrators of the server the tenants. */
export default function AccessPage() {
  useTitle('Access')
  const login = useQuery(loginQuery).data
  const off = login?.tokens === false
  const tokens = useQuery({ ...tokensQuery, refetchInterval: 60_000, enabled: !off })
  const principal = login?.principal
  const [creating, setCreating] = useState(false)
  const operates = principal?.all_tenants === true && principal.scopes.includes('admin')
  return (
    <div className={classes.page} data-ready={off || tokens.isSuccess || undefined}>
      <Group justify="space-between">
        <Title order={1} size="h3">
          Access
        </Title>
        {tokens.isSuccess && (
          <Button size="xs" leftSection={<IconPlus size={16} />} onClick={() => setCreating(true)}>
            Make a token
          </Button>
        )}
      </Group>
      {off && (
        <Empty title="Tokens are off" icon={<IconKey size={36} stroke={1.25} />}>
          This server answers on loopback only, to every program of every user of the machine. Started with{' '}
          <code style={{ whiteSpace: 'nowrap' }}>--tokens</code>, it asks each program and each person for a
          token, and this page makes them.
        </Empty>
      )}
      {tokens.error !== null && <ProblemAlert error={tokens.error} again={() => void tokens.refetch()} />}
      {tokens.isPending && !off && <Skeleton height={240} radius="md" />}
      {tokens.data?.length === 0 && (
        <Empty title="No tokens yet" icon={<IconKey size={36} stroke={1.25} />}>
          Programs send a token with each request. Make one for each of them, so that it can be revoked alone.
        </Empty>
      )}
      {tokens.data !== undefined && tokens.data.length > 0 && (
        <>
          <TokenTable tokens={tokens.data} />
          <Text size="sm" c="dimmed">
            A revoked token is refused by every server at once, and what runs with it ends. Logins that were
            made with it end, too.
          </Text>
        </>
      )}
      {operates && <Tenants />}
      {creating && <CreateDialog operates={operates} close={() => setCreating(false)} />}
    </div>
  )
}
