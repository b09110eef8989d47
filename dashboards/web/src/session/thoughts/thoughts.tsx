import { Skeleton, Stack } from '@mantine/core'
import { IconBinaryTree } from '@tabler/icons-react'
import type { Schemas } from '../../api/client'
import { Empty } from '../../components/empty'
import { ProblemAlert } from '../../components/problem'
import { counted } from '../../format/numbers'
import { mostStates } from '../state/queries'
import { DrawingSection } from './section'
import { useThoughts } from './queries'
import classes from './thoughts.module.css'

/** The thoughts of a search, as the source states them: trees and graphs, whose nodes lead to their moments. */
export default function Thoughts({ session }: { session: Schemas['SessionDetail'] }) {
  const thoughts = useThoughts(session)
  if (thoughts.data !== undefined) {
    const { drawings, more } = thoughts.data
    if (drawings.length === 0)
      return (
        <Empty title="No thought was sent" icon={<IconBinaryTree size={32} stroke={1.5} />}>
          No frame of this session holds a tree or a graph of thoughts that its dialect knows.
        </Empty>
      )
    return (
      <div className={classes.view}>
        {drawings.map((drawing, i) => (
          <DrawingSection
            key={`${drawing.kind} ${drawing.key}`}
            drawing={drawing}
            title={nameOf(drawing.kind, i, drawings)}
            started={session.started}
          />
        ))}
        {more && (
          <p className={classes.note}>
            {`The first ${counted(mostStates, 'frame')}, or 16 MB, with thoughts and with states are read.`}
          </p>
        )}
      </div>
    )
  }
  if (thoughts.error !== null)
    return (
      <Stack p="md">
        <ProblemAlert error={thoughts.error} again={() => void thoughts.refetch()} />
      </Stack>
    )
  return (
    <Stack p="md" gap={10} role="status" aria-busy="true" aria-label="Loading the thoughts">
      {[70, 50, 80].map((width) => (
        <Skeleton key={width} height={16} width={`${width}%`} />
      ))}
    </Stack>
  )
}

const names = { tree: 'Tree of thoughts', graph: 'Graph of thoughts' }

/** Its kind, with a number where there are several of the kind. */
function nameOf(kind: 'tree' | 'graph', i: number, all: readonly { kind: string }[]): string {
  if (all.filter((one) => one.kind === kind).length === 1) return names[kind]
  return `${names[kind]} ${all.slice(0, i + 1).filter((one) => one.kind === kind).length}`
}
