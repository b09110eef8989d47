import { IconChevronRight } from '@tabler/icons-react'
import type { Schemas } from '../../api/client'
import { usePlayerState } from '../player/context'
import { Bar } from './bar'
import { KindIcon } from './kind'
import type { Range, Row } from './rows'
import classes from './spanrow.module.css'
import type { Warp } from './warp'

type Gaps = Schemas['Gaps']

interface Props {
  row: Row
  /** What a tool call is about, what a model wrote, or the task of a sub-agent. */
  about: string
  /** The lane of the sub-agent that it belongs to; null outside of all. */
  lane: number | null
  /** What is shown, on the drawn axis. */
  range: Range
  warp: Warp
  /** Until when what is open has lasted, of a session that is followed. */
  known: number | null
  gap: Gaps | undefined
  folded: boolean
  onFold: () => void
  onChoose: () => void
  /** Selects the span, and goes to a moment of it. */
  onSeek: (ms: number) => void
}

/** A span's line: its name in the tree, and its bar. A click selects it, and on its bar goes to where that was. */
export function SpanRow({
  row: { span, depth },
  about,
  lane,
  range,
  warp,
  known,
  gap,
  folded,
  onFold,
  onChoose,
  onSeek,
}: Props) {
  const after = usePlayerState(({ offset }) => offset < span.start_ms)
  return (
    <>
      <div
        role="gridcell"
        className={classes.label}
        data-after={after}
        data-lane={lane ?? undefined}
        style={{ paddingInlineStart: 6 + Math.min(depth, 12) * 14 }}
        onClick={onChoose}
      >
        {span.children.length > 0 ? (
          <button
            className={classes.fold}
            tabIndex={-1}
            aria-label={folded ? `Unfold ${span.name}` : `Fold ${span.name}`}
            data-open={!folded}
            onClick={(event) => {
              event.stopPropagation()
              onFold()
            }}
          >
            <IconChevronRight size={12} aria-hidden />
          </button>
        ) : (
          <span className={classes.fold} />
        )}
        <KindIcon kind={span.kind} />
        <span className={classes.name} title={about === '' ? titleOf(span) : `${titleOf(span)}\n${about}`}>
          {span.name === '' ? span.kind : span.name}
          {about !== '' && <span className={classes.about}> {about}</span>}
        </span>
      </div>
      <div role="gridcell" className={classes.track} onClick={onChoose}>
        <Bar span={span} range={range} warp={warp} known={known} gap={gap} onSeek={onSeek} />
      </div>
    </>
  )
}

function titleOf(span: Schemas['Span']): string {
  return [span.kind, span.name, span.model ?? '', span.agent].filter((part) => part !== '').join(' · ')
}
