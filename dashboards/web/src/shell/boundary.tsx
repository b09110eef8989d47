import { Alert, Button, Group, Text } from '@mantine/core'
import { IconAlertTriangle, IconPlugConnectedX } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Component, type ReactNode, useEffect, useRef } from 'react'
import { Empty } from '../components/empty'
import { serverQuery } from './server'

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
    return error === null ? this.props.children : <NotShown error={error} />
  }
}

/** Why there is no page. It is loaded anew when the server was away and is back. */
function NotShown({ error }: { error: Error }) {
  const client = useQueryClient()
  const { error: away } = useQuery(serverQuery)
  const wasAway = useRef(false)
  useEffect(() => void client.invalidateQueries(serverQuery), [client])
  useEffect(() => {
    if (away !== null) wasAway.current = true
    else if (wasAway.current) location.reload()
  }, [away])
  if (away !== null)
    return (
      <Empty title="This page has yet to come" icon={<IconPlugConnectedX size={36} stroke={1.25} />}>
        Its code is fetched as soon as the server is back.
      </Empty>
    )
  return (
    <Alert m="md" color="red" role="alert" icon={<IconAlertTriangle />} title="This page could not be shown">
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
