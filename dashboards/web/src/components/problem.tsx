import { Alert, Anchor, Button, Group, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { Link } from 'wouter'
import { ProblemError } from '../api/client'

/** A hint that names a route of the API is of no use on a page. */
const forPrograms = /^(GET|POST|PUT|DELETE) \//

/**
 * An error where its data would stand: what happened, what to do, and a way to try again, unless the
 * server will say the same again: what was asked made no sense, is not permitted, or does not exist.
 */
export function ProblemAlert({ error, again }: { error: Error; again?: () => void }) {
  const problem = error instanceof ProblemError ? error.problem : undefined
  return (
    <Alert
      color="red"
      icon={<IconAlertTriangle />}
      title={problem?.title ?? 'The server cannot be reached'}
      role="alert"
    >
      <Text size="sm">{problem === undefined ? error.message : problem.detail}</Text>
      {problem?.hint !== undefined && !forPrograms.test(problem.hint) && (
        <Text size="sm">{problem.hint}</Text>
      )}
      {problem !== undefined && [401, 403].includes(problem.status) && (
        <Text size="sm" mt={4}>
          <Anchor component={Link} href="/login" inherit>
            {problem.status === 401 ? 'Log in' : 'Who is logged in'}
          </Anchor>
        </Text>
      )}
      {again !== undefined && ![400, 403, 404, 410].includes(problem?.status ?? 0) && (
        <Group mt="xs">
          <Button size="xs" variant="default" onClick={again}>
            Try again
          </Button>
        </Group>
      )}
    </Alert>
  )
}
