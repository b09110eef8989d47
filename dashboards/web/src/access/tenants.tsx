import { Button, Group, Text, TextInput, Title } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { ProblemAlert } from '../components/problem'
import { Time } from '../components/time'
import { count } from '../format/numbers'
import { selectTenant, startOver } from '../login/queries'
import { ReportTable, type Column } from '../reports/table'
import { tenantsOf, type Tenant, type Token } from './queries'

/** The tenants that have tokens; the pages can be about each of them. */
export function Tenants({ tokens }: { tokens: Token[] }) {
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
    { name: 'valid tokens', figure: true, key: ({ valid }) => valid, cell: ({ valid }) => count(valid) },
    {
      name: 'last used',
      key: ({ lastUsed }) => lastUsed ?? '',
      cell: ({ lastUsed }) => (lastUsed === null ? 'never' : <Time at={lastUsed} />),
    },
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
        A tenant begins with its first token. The pages show one tenant at a time.
      </Text>
      {selecting.error !== null && <ProblemAlert error={selecting.error} />}
      <ReportTable
        label="Tenants"
        columns={columns}
        rows={tenantsOf(tokens)}
        rowKey={(tenant) => tenant.name}
      />
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
