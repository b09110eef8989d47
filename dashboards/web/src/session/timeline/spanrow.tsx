import { IconChevronRight } from '@tabler/icons-react'
import type { MouseEvent } from 'react'
import type { Schemas } from '../../api/client'
import { duration } from '../../format/duration'
import { usePlayerState } from '../player/context'
import { KindIcon } from './kind'
import type { Range, Row } from './rows'
import { reachOf } from './span'
import classes from './spanrow.module.css'
import type { Warp } from './warp'

type Gaps = Schemas['Gaps']

interface Props {
  row: Row
  /** What a tool call is about. */
  about: string
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

function Bar({
  span,
  range,
  warp,
  known,
  gap,
  onSeek,
}: Pick<Props, 'range' | 'warp' | 'known' | 'gap' | 'onSeek'> & { span: Row['span'] }) {
  const to = reachOf(span, known)
  const length = range.to - range.from
  const share = (ms: number) => ((warp.draw(ms) - range.from) / length) * 100
  const [left, right] = [share(span.start_ms), share(to)]
  if (right < 0 || left > 100) return null
  const took = to - span.start_ms
  const [drawnFrom, drawnTo] = [warp.draw(span.start_ms), warp.draw(to)]
  /** Where in the bar something is that came so long after its beginning. */
  const part = (ms: number) =>
    drawnTo > drawnFrom
      ? Math.min(((warp.draw(span.start_ms + ms) - drawnFrom) / (drawnTo - drawnFrom)) * 100, 100)
      : 0
  const seek = (event: MouseEvent<HTMLElement>) => {
    event.stopPropagation() // the line's click only selects
    const box = event.currentTarget.getBoundingClientRect()
    const at = box.width > 0 ? (event.clientX - box.left) / box.width : 0
    onSeek(warp.moment(drawnFrom + Math.min(Math.max(at, 0), 1) * (drawnTo - drawnFrom)))
  }
  const failed = span.status === 'error' || span.status === 'rejected'
  // Its time is where there is room for it.
  const inside = right > 82
  return (
    <div
      className={classes.bar}
      data-kind={span.kind}
      data-failed={failed}
      data-open={span.open}
      style={{ left: `${left}%`, width: `${right - left}%` }}
      onClick={seek}
    >
      {span.first_token_ms !== null && (
        <div
          className={classes.first}
          style={{ width: `${part(span.first_token_ms)}%` }}
          title={`First output after ${duration(span.first_token_ms)}`}
        />
      )}
      {gap !== undefined && gap.max_ms > 5 * gap.p50_ms && gap.max_ms * 200 > took && (
        <div
          className={classes.gap}
          style={{
            left: `${part(gap.max_at_ms - span.start_ms)}%`,
            width: `${part(gap.max_at_ms - span.start_ms + gap.max_ms) - part(gap.max_at_ms - span.start_ms)}%`,
          }}
          title={`Nothing came for ${duration(gap.max_ms)}`}
        />
      )}
      <span className={classes.time} data-inside={inside}>
        {span.open
          ? `${duration(took)}, ${span.status === 'unclosed' ? 'never ended' : 'open'}`
          : duration(took)}
      </span>
    </div>
  )
}
