import { Skeleton, Stack } from '@mantine/core'
import { IconTimeline } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { Schemas } from '../../api/client'
import { Empty } from '../../components/empty'
import { ProblemAlert } from '../../components/problem'
import { timelineQuery } from '../queries'
import { Waterfall } from './waterfall'

/** What happened when: runs, steps, model calls and tool calls over the session's time. */
export function Timeline({ session }: { session: Schemas['SessionDetail'] }) {
  const timeline = useQuery(timelineQuery(session.id))
  if (timeline.data !== undefined) {
    if (timeline.data.spans.length > 0) return <Waterfall session={session} timeline={timeline.data} />
    return (
      <Empty title="Nothing has a beginning and an end here" icon={<IconTimeline size={32} stroke={1.5} />}>
        The frames of this session contain no run, no model call and no tool call. All of them are under
        Frames.
      </Empty>
    )
  }
  if (timeline.error !== null)
    return (
      <Stack p="md">
        <ProblemAlert error={timeline.error} again={() => void timeline.refetch()} />
      </Stack>
    )
  return (
    <Stack p="md" gap={10} role="status" aria-busy="true" aria-label="Loading the timeline">
      {[90, 60, 45, 70, 30].map((width, i) => (
        <Skeleton key={i} height={16} width={`${width}%`} />
      ))}
    </Stack>
  )
}
