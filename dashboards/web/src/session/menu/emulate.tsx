import { Stack, Text } from '@mantine/core'
import { queryOptions, useQueries } from '@tanstack/react-query'
import { Loading } from '../../components/loading'
import { accepted, api, ProblemError } from '../../api/client'
import { Command } from '../../components/command'
import { ProblemAlert } from '../../components/problem'
import { shellWord } from '../../format/shell'
import { useServerAddress } from '../../login/queries'
import { command } from './commands'
import { expiredText, MenuDialog, SameByCommand } from './dialog'
import type { DialogProps } from './props'

const protocols = [
  { protocol: 'http', name: 'HTTP', what: 'What passed through the proxy, and streams of model providers.' },
  { protocol: 'loom', name: 'Loom', what: 'The WebSocket server of Loom.' },
  { protocol: 'anthropic-agent', name: 'anthropic_agent', what: 'Its server-sent events.' },
  { protocol: 'compozy', name: 'Compozy', what: 'Its execution streams.' },
] as const

type Protocol = (typeof protocols)[number]['protocol']

/** Whether a session can be asked in a protocol. */
const speaksQuery = (id: string, protocol: Protocol) =>
  queryOptions({
    queryKey: ['emulation', id, protocol],
    queryFn: async ({ signal }) => {
      const params = { path: { id }, query: { protocol } }
      try {
        await accepted(api.GET('/v1/sessions/{id}/emulation', { params, signal }))
        return true
      } catch (error) {
        if (error instanceof ProblemError && [404, 409].includes(error.problem.status)) return false
        throw error
      }
    },
  })

/** How a program talks to the session as to the server that it was recorded from. */
export default function EmulateDialog({ session, close }: DialogProps) {
  const server = useServerAddress()
  const expired = expiredText(session, 'It cannot be emulated.')
  const answers = useQueries({
    queries: protocols.map(({ protocol }) => ({
      ...speaksQuery(session.id, protocol),
      enabled: expired === null,
    })),
  })
  const spoken = protocols.filter((_, i) => answers[i]?.data === true)
  const pending = expired === null && answers.some(({ isPending }) => isPending)
  const failed = answers.filter(({ isError }) => isError)
  const error = failed[0]?.error ?? null
  const address = `${server}/emulate/${encodeURIComponent(session.id)}`
  return (
    <MenuDialog title="Emulate this session" close={close}>
      {expired !== null && <Text size="sm">{expired}</Text>}
      {pending && <Loading size="sm" label="Asking which protocols it speaks" />}
      {error !== null && (
        <ProblemAlert error={error} again={() => failed.forEach(({ refetch }) => void refetch())} />
      )}
      {!pending && expired === null && error === null && spoken.length === 0 && (
        <Text size="sm">
          No protocol can be emulated from this session: it holds no recorded requests, and no stream of Loom,
          of anthropic_agent or of Compozy.
        </Text>
      )}
      {!pending && spoken.length > 0 && (
        <Text size="sm">
          A program talks to the recording as to the server that it was recorded from, and receives the same
          answers at the same pace.
        </Text>
      )}
      {!pending &&
        spoken.map(({ protocol, name, what }) => (
          <Stack key={protocol} gap={4}>
            <Text component="h3" size="sm" fw={600}>
              {name}
            </Text>
            <Text size="xs" c="dimmed">
              {what}
            </Text>
            <SameByCommand
              text={command(`emulate ${protocol}`, server, session.id)}
              what={`the command that emulates ${name}`}
            />
            {protocol === 'http' && (
              <>
                <Text size="xs" c="dimmed">
                  At this server, as the base address of a client:
                </Text>
                <Command
                  text={`ANTHROPIC_BASE_URL=${shellWord(address)}\nOPENAI_BASE_URL=${shellWord(`${address}/v1`)}`}
                  what="the base addresses"
                />
              </>
            )}
          </Stack>
        ))}
    </MenuDialog>
  )
}
