import { Button, Group, Text, TextInput, Title } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { ProblemAlert } from '../components/problem'
import { Time } from '../components/time'
import { count } from '../format/numbers'
import { selectTenant, startOver } from '../login/queries'
import type { Column } from '../reports/column'
import { ReportTable } from '../reports/table'
import { settingsOf, tenantsQuery, type Tenant } from './queries'

/** The tenants of the server; the pages can be about each of them. */
export function Tenants() {
  const tenants = useQuery({ ...tenantsQuery, refetchInterval: 60_000 })
  const client = useQueryClient()
  const [, go] = useLocation()
  const [name, setName] = useState('')
  const selecting = useMutation({
    mutationFn: selectTenant,
    onSuccess: (login) => {
      go('/')
      return startOver(client, login)
    },
  })
  const columns: Column<Tenant>[] = [
    { name: 'tenant', key: (tenant) => tenant.name, cell: (tenant) => tenant.name },
    {
      name: 'last frame',
      key: ({ last_frame }) => last_frame ?? '',
      cell: ({ last_frame }) => (last_frame === null ? 'none' : <Time at={last_frame} />),
    },
    { name: 'valid tokens', figure: true, key: ({ tokens }) => tokens, cell: ({ tokens }) => count(tokens) },
    {
      name: 'last used',
      key: ({ last_used }) => last_used ?? '',
      cell: ({ last_used }) => (last_used === null ? 'never' : <Time at={last_used} />),
    },
    { name: 'settings', key: settingsOf, cell: settingsOf },
    {
      name: 'action',
      key: () => null,
      cell: (tenant) => (
        <Button
          size="compact-xs"
          variant="default"
          onClick={() => selecting.mutate(tenant.name)}
          aria-label={`Show ${tenant.name}`}
        >
          Show
        </Button>
      ),
    },
  ]
  return (
    <>
      <Title order={2} size="h5">
        Tenants
      </Title>
      <Text size="sm" c="dimmed">
        Tenants with recordings, bills, tokens, retention or prices. The pages show one tenant at a time.
      </Text>
      {selecting.error !== null && <ProblemAlert error={selecting.error} />}
      {tenants.error !== null && <ProblemAlert error={tenants.error} again={() => void tenants.refetch()} />}
      {tenants.data !== undefined && (
        <ReportTable label="Tenants" columns={columns} rows={tenants.data} rowKey={(tenant) => tenant.name} />
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault()
          selecting.mutate(name.trim())
        }}
      >
        <Group align="end" gap="xs">
          <TextInput
            size="xs"
            label="Another tenant"
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Button size="xs" type="submit" variant="default" disabled={name.trim() === ''}>
            Show it
          </Button>
        </Group>
      </form>
    </>
  )
}
