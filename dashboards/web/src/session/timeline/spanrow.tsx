import { IconChevronRight } from '@tabler/icons-react'
import type { Schemas } from '../../api/client'
import { duration } from '../../format/duration'
import { usePlayer, usePlayerState } from '../player/context'
import { KindIcon } from './kind'
import type { Range, Row } from './rows'
import { endOf, reachOf } from './span'
import classes from './spanrow.module.css'

type Gaps = Schemas['Gaps']

interface Props {
  row: Row
  range: Range
  /** Where the tape ends, of a session that runs. */
  end: number | null
  gap: Gaps | undefined
  folded: boolean
  onFold: () => void
  onChoose: () => void
}

/** A span's line: its name in the tree, and its bar. Choosing it goes to where it began. */
export function SpanRow({ row: { span, depth }, range, end, gap, folded, onFold, onChoose }: Props) {
  const player = usePlayer()
  const after = usePlayerState(({ offset }) => offset < span.start_ms)
  const choose = () => {
    onChoose()
    player.seek(span.start_ms)
  }
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
        <span className={classes.name} title={titleOf(span)}>
          {span.name === '' ? span.kind : span.name}
        </span>
      </div>
      <div role="gridcell" className={classes.track} onClick={choose}>
        <Bar span={span} range={range} end={end} gap={gap} />
      </div>
    </>
  )
}

function titleOf(span: Schemas['Span']): string {
  return [span.kind, span.name, span.model ?? '', span.agent].filter((part) => part !== '').join(' · ')
}

function Bar({ span, range, end, gap }: Pick<Props, 'range' | 'end' | 'gap'> & { span: Row['span'] }) {
  const to = endOf(span) === null && end !== null ? Math.max(end, reachOf(span)) : reachOf(span)
  const length = range.to - range.from
  const share = (ms: number) => ((ms - range.from) / length) * 100
  const [left, right] = [share(span.start_ms), share(to)]
  if (right < 0 || left > 100) return null
  const took = to - span.start_ms
  const part = (ms: number) => `${took > 0 ? Math.min((ms / took) * 100, 100) : 0}%`
  const failed = span.status === 'error' || span.status === 'rejected'
  // Its time stands where there is room for it.
  const inside = right > 82
  return (
    <div
      className={classes.bar}
      data-kind={span.kind}
      data-failed={failed}
      data-open={span.open}
      style={{ left: `${left}%`, width: `${right - left}%` }}
    >
      {span.first_token_ms !== null && (
        <div
          className={classes.first}
          style={{ width: part(span.first_token_ms) }}
          title={`First output after ${duration(span.first_token_ms)}`}
        />
      )}
      {gap !== undefined && gap.max_ms > 5 * gap.p50_ms && gap.max_ms * 200 > took && (
        <div
          className={classes.gap}
          style={{ left: part(gap.max_at_ms - span.start_ms), width: part(gap.max_ms) }}
          title={`Nothing came for ${duration(gap.max_ms)}`}
        />
      )}
      <span className={classes.time} data-inside={inside}>
        {span.open ? `${duration(took)}, open` : duration(took)}
      </span>
    </div>
  )
}
