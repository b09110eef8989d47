import { Skeleton, Stack } from '@mantine/core'
import { IconMessages } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Schemas } from '../../api/client'
import { Empty } from '../../components/empty'
import { ProblemAlert } from '../../components/problem'
import { aboutsOf } from '../abouts'
import { lanesOf } from '../lanes'
import { isOfSpans, isOpen } from '../standing'
import { timelineQuery, transcriptQuery } from '../queries'
import { conversationOf } from './items'
import { ConversationList } from './list'

/** The messages, as far as they had arrived at the player's moment. */
export function Conversation({ session }: { session: Schemas['SessionDetail'] }) {
  const transcript = useQuery(transcriptQuery(session.id))
  const timeline = useQuery(timelineQuery(session.id))
  const items = useMemo(
    () => transcript.data && timeline.data && conversationOf(transcript.data, timeline.data.spans),
    [transcript.data, timeline.data],
  )
  const lanes = useMemo(
    () => lanesOf(timeline.data?.spans ?? [], aboutsOf(transcript.data ?? [])),
    [transcript.data, timeline.data],
  )
  const error = transcript.error ?? timeline.error
  if (items !== undefined) {
    if (items.length > 0) return <ConversationList items={items} lanes={lanes} started={session.started} />
    if (isOpen(session))
      return (
        <Empty title="Nothing has been said so far" icon={<IconMessages size={32} stroke={1.5} />}>
          Messages and tool calls come up here as they arrive.
        </Empty>
      )
    return isOfSpans(session) ? (
      <Empty title="The spans have no messages" icon={<IconMessages size={32} stroke={1.5} />}>
        Most instrumentations send prompts and answers only if a setting of theirs asks for it.
      </Empty>
    ) : (
      <Empty title="Nothing was said" icon={<IconMessages size={32} stroke={1.5} />}>
        The frames of this session hold no message that its dialect ({session.dialects.join(', ') || 'none'})
        knows. Look at the frames as they are; if they were taken for the wrong dialect,{' '}
        <code>tapedeck redecode --dialect NAME</code> reads them anew.
      </Empty>
    )
  }
  if (error !== null)
    return (
      <Stack p="md">
        <ProblemAlert
          error={error}
          again={() => {
            void transcript.refetch()
            void timeline.refetch()
          }}
        />
      </Stack>
    )
  return (
    <Stack p="md" gap="sm" role="status" aria-busy="true" aria-label="Loading the conversation">
      {[48, 20, 90, 20, 120].map((height, i) => (
        <Skeleton key={i} height={height} />
      ))}
    </Stack>
  )
}
