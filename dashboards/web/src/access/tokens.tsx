import { Badge, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useFocusReturn } from '../components/focusreturn'
import { ProblemAlert } from '../components/problem'
import { StateBadge, type StateLook } from '../components/statebadge'
import { Time } from '../components/time'
import type { Column } from '../reports/column'
import { ReportTable } from '../reports/table'
import { revokeToken, stateOf, tokensQuery, type Token, type TokenState } from './queries'

const looks: Record<TokenState, StateLook> = {
  valid: { color: 'teal', name: 'valid', why: 'Requests with it are answered.' },
  expired: { color: 'gray', name: 'expired', why: 'Its time is over.' },
  revoked: { color: 'gray', name: 'revoked', why: 'It is refused for all time.' },
}

/** The tokens, each with a button that revokes it. */
export function TokenTable({ tokens }: { tokens: Token[] }) {
  const [revoking, setRevoking] = useState<Token | null>(null)
  const columns: Column<Token>[] = [
    { name: 'name', key: ({ name }) => name, cell: ({ name, id }) => <span title={`id ${id}`}>{name}</span> },
    {
      name: 'tenant',
      key: ({ tenant }) => tenant,
      cell: ({ tenant }) =>
        tenant === '*' ? (
          <Text span inherit c="dimmed">
            all
          </Text>
        ) : (
          tenant
        ),
    },
    {
      name: 'scopes',
      key: ({ scopes }) => scopes.join(),
      cell: ({ scopes }) => (
        <Group gap={4} wrap="nowrap">
          {scopes.map((scope) => (
            <Badge key={scope} size="sm" radius="sm" variant="default" tt="none" fw={500}>
              {scope}
            </Badge>
          ))}
        </Group>
      ),
    },
    { name: 'state', key: stateOf, cell: (token) => <StateBadge {...looks[stateOf(token)]} /> },
    {
      name: 'last used',
      hint: 'At most a minute late.',
      key: ({ last_used }) => last_used ?? '',
      cell: ({ last_used }) => (last_used === null ? 'never' : <Time at={last_used} />),
    },
    {
      name: 'expires',
      key: ({ expires_at }) => expires_at ?? '9999',
      cell: ({ expires_at }) => (expires_at === null ? 'never' : <Time at={expires_at} />),
    },
    { name: 'made', key: ({ created_at }) => created_at, cell: ({ created_at }) => <Time at={created_at} /> },
    {
      name: 'action',
      key: () => null,
      cell: (token) =>
        stateOf(token) === 'valid' && (
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => setRevoking(token)}
            aria-label={`Revoke ${token.name}`}
          >
            Revoke
          </Button>
        ),
    },
  ]
  return (
    <>
      <ReportTable label="Tokens" columns={columns} rows={tokens} rowKey={({ id }) => id} />
      {revoking !== null && <RevokeDialog token={revoking} close={() => setRevoking(null)} />}
    </>
  )
}

/** Asks whether a token is to be revoked, since it never becomes valid again. */
function RevokeDialog({ token, close }: { token: Token; close: () => void }) {
  useFocusReturn()
  const client = useQueryClient()
  const revoking = useMutation({
    mutationFn: () => revokeToken(token.id),
    onSuccess: async () => {
      await client.invalidateQueries(tokensQuery)
      close()
    },
  })
  return (
    <Modal
      opened
      onClose={close}
      title={`Revoke ${token.name}?`}
      closeButtonProps={{ 'aria-label': 'Close' }}
      // The policy forbids the style by which it would lock the page.
      lockScroll={false}
    >
      <Stack gap="sm">
        <Text size="sm">
          What runs with this token ends now, on every server. It cannot be made valid again; another one can
          be made.
        </Text>
        {revoking.error !== null && <ProblemAlert error={revoking.error} />}
        <Group justify="flex-end" gap="xs">
          <Button size="xs" variant="default" onClick={close} data-autofocus>
            Cancel
          </Button>
          <Button size="xs" color="red.9" loading={revoking.isPending} onClick={() => revoking.mutate()}>
            Revoke
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
