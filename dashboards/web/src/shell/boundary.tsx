import { Alert, Button, Group, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { Component, type ReactNode } from 'react'

/**
 * Stands in for a page that cannot be shown: its code did not come, as when the server is away or has
 * been renewed, or it failed. Give it a key, so that another page begins anew.
 */
export class Boundary extends Component<{ children: ReactNode }, { error: Error | null }> {
  override state: { error: Error | null } = { error: null }

  static getDerivedStateFromError(error: Error) {
    return { error }
  }

  override render() {
    const { error } = this.state
    if (error === null) return this.props.children
    return (
      <Alert
        m="md"
        color="red"
        role="alert"
        icon={<IconAlertTriangle />}
        title="This page could not be shown"
      >
        <Text size="sm">{error.message}</Text>
        <Text size="sm">Loading it anew fetches its code again; the server has to run for that.</Text>
        <Group mt="xs">
          <Button size="xs" variant="outline" color="red" onClick={() => location.reload()}>
            Load anew
          </Button>
        </Group>
      </Alert>
    )
  }
}
