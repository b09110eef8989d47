import { Anchor, Stack, Text, Title } from '@mantine/core'
import { Link, useLocation } from 'wouter'

export function NotFound() {
  const [path] = useLocation()
  return (
    <Stack p="xl" gap="xs">
      <Title order={1} size="h3">
        There is no page here
      </Title>
      <Text>
        Nothing answers to <code>{path}</code>.{' '}
        <Anchor component={Link} href="/" underline="always">
          The sessions
        </Anchor>{' '}
        are a good place to go on.
      </Text>
    </Stack>
  )
}
