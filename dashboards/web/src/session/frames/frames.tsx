import { Skeleton, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Schemas } from '../../api/client'
import { Empty } from '../../components/empty'
import { ProblemAlert } from '../../components/problem'
import { FrameDetail } from './detail'
import { Filters } from './filters'
import classes from './frames.module.css'
import { FrameList } from './list'
import { type FrameFilter, indexQuery, typesQuery } from './queries'

/** The raw tape: every frame as it was recorded, in order of arrival. */
export function Frames({ session }: { session: Schemas['SessionDetail'] }) {
  const [filter, setFilter] = useState<FrameFilter>({ types: [], direction: null })
  const [chosen, setChosen] = useState<string | null>(null)
  const version = versionOf(session.frames)
  const types = useQuery(typesQuery(session.id, version))
  const index = useQuery(indexQuery(session.id, filter, version))
  if (index.error !== null && index.data === undefined)
    return (
      <Stack p="md">
        <ProblemAlert error={index.error} again={() => void index.refetch()} />
      </Stack>
    )
  return (
    <div className={classes.view}>
      <Filters
        types={types.data?.items ?? []}
        filter={filter}
        total={index.data?.total}
        onChange={setFilter}
      />
      {index.data === undefined ? (
        <Stack p="md" gap={10} role="status" aria-busy="true" aria-label="Loading the frames">
          {[95, 80, 90, 70, 85].map((width, i) => (
            <Skeleton key={i} height={14} width={`${width}%`} />
          ))}
        </Stack>
      ) : index.data.total === 0 ? (
        <Empty title="No frame fits">Choose other types, or the other direction.</Empty>
      ) : (
        <FrameList
          key={JSON.stringify(filter)}
          session={session}
          filter={filter}
          index={index.data}
          chosen={chosen}
          onChoose={setChosen}
        />
      )}
      {chosen !== null && <FrameDetail session={session} position={chosen} onClose={() => setChosen(null)} />}
    </div>
  )
}

/** Changes as a session grows: with every frame of a short one, seldom for a long one, which takes longer to index. */
export function versionOf(frames: number): number {
  return frames < 20_000 ? frames : Math.floor(frames / 5000) * 5000
}
